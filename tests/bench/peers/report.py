"""What the comparisons of all programs give together, as a table."""
import re
import time

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


def told_equal(result):
    shares = [told["beyond"] / told["elements"] for told in result["results"].values()]
    if all(told["differing"] == 0 for told in result["results"].values()):
        return "every bit"
    return "rounding" if max(shares) == 0 else "%.1g beyond" % max(shares)


def told_ratio(told):
    """Of a schedule that Halide made itself; else why there is none."""
    if "ratio" in told:
        return "%.2f" % told["ratio"]
    return "late" if told["failed"].startswith("no answer") else "error"


def table(results, autoschedulers):
    """A line for each program, then what they give together."""
    columns = ["program", "ours ms", "Halide ms", "ratio", "quartiles", "of CPU time", "of the fastest", "ours contracts",
               "Halide exact", "results"] + list(autoschedulers.values())
    lines = ["| " + " | ".join(columns) + " |", "| --- " * len(columns) + "|"]
    for r in results:
        if "ratio" not in r:
            lines.append("| %s | failed: %s |" % (r["program"], r["failed"].replace("|", "/")) + " |" * (len(columns) - 2))
            continue
        own = []
        for scheduler in autoschedulers:
            own.append(told_ratio(r["autoschedulers"].get(scheduler, {"failed": ""})))
        lines.append("| %s | %.3f | %.3f | %.2f | %.2f-%.2f | %.2f | %.2f | %s | %s | %s | %s |" % (
            r["program"], r["ours_ms"], r["halide_ms"], r["ratio"], r["ratio_low"], r["ratio_high"], r["ratio_cpu"],
            r["ratio_least"], "yes" if r["ours_contracts"] else "no", "yes" if r["halide_exact"] else "no",
            "DIFFER" if "failed" in r else told_equal(r), " | ".join(own)))
    good = [r for r in results if "failed" not in r]
    if good:
        def mean(key):
            product = 1.0
            for r in good:
                product *= r[key]
            return product ** (1 / len(good))
        least = min(good, key=lambda r: r["ratio"])
        lines += ["", "Geometric mean of %d programs: %.2f (of processor time %.2f, of the fastest runs %.2f); least: %.2f, %s; "
                  "under 0.9: %s." % (
            len(good), mean("ratio"), mean("ratio_cpu"), mean("ratio_least"), least["ratio"], least["program"],
            ", ".join(r["program"] for r in good if r["ratio"] < 0.9) or "none")]
    return lines


def write_report(path, lines, threads):
    with open("/proc/cpuinfo") as info:
        told = dict(re.findall(r"(.*?)\s*: (.*)", info.read()))
    # A virtual machine's name for its processor does not tell one generation from the next.
    processor = "%s (family %s, model %s)" % (told["model name"], told["cpu family"], told["model"])
    about = "%s, %d thread%s of %s, Halide 14 (it fuses freely; ours where the table says so)." % (
        time.strftime("%Y-%m-%d"), threads, "" if threads == 1 else "s", processor)
    with open(path) as file:
        text = file.read()
    if BEGIN not in text or END not in text:
        raise SystemExit("error: %s lacks the lines %s and %s between which the table goes" % (path, BEGIN, END))
    head, rest = text.split(BEGIN, 1)
    with open(path, "w") as file:
        file.write(head + BEGIN + "\n" + about + "\n\n" + "\n".join(lines) + "\n" + END + rest.split(END, 1)[1])

#!/usr/bin/env python3
"""Checks that each translation has all texts of the window, and none that it has no more, with the same %1 and the like, HTML, line ends
and at most one letter to be reached by.

Usage: check_translations.py REPOSITORY [--missing CODE]. Prints a line for each fault; exit status 1 if there is any. With --missing:
prints, as JSON, the texts that resources/translations/CODE.json lacks, to be filled in there.
"""
import json
import os
import re
import sys

FOLDERS = ("app", "views")
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
LITERALS = rf"(?:{LITERAL}\s*)+"
# tr("…"), QObject::tr("…"), and what a macro marks for later.
CALL = re.compile(rf"\b(?:tr|QT_TR_NOOP)\(\s*({LITERALS})|\b(?:translate|QT_TRANSLATE_NOOP)\(\s*{LITERAL}\s*,\s*({LITERALS})")
CHOICE = re.compile(rf"\btr\(\s*[^\";()]*\?\s*({LITERALS}):\s*({LITERALS})")
COMMENT = re.compile(rf"({LITERAL})|//[^\n]*|/\*.*?\*/", re.S)
PLACE = re.compile(r"%(?:L?[0-9]{1,2}|n)")
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


def text_of(literals):
    whole = "".join(literal[1:-1] for literal in re.findall(LITERAL, literals))
    return re.sub(r"\\(.)", lambda found: ESCAPES[found.group(1)], whole)


def texts_of_window(root):
    """text: where it stands first."""
    out = {}
    for top in FOLDERS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if not name.endswith((".h", ".cpp", ".def")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    source = COMMENT.sub(lambda found: found.group(1) or " ", file.read())
                for pattern in (CALL, CHOICE):
                    for found in pattern.finditer(source):
                        for literals in filter(None, found.groups()):
                            out.setdefault(text_of(literals), os.path.relpath(path, root))
    listed = os.path.join("resources", "pipelines", "programs.json")  # by the start page
    with open(os.path.join(root, listed), encoding="utf-8") as file:
        for group in json.load(file)["groups"]:
            for text in (group["title"], *(program["teaches"] for program in group["programs"])):
                out.setdefault(text, listed)
    return out


def marks(text):
    return sorted(PLACE.findall(text)), sorted(re.findall(r"</?[a-z]+", text)), text.count("\n")


def letters(text):
    return len(re.findall(r"&(?!&|[a-z]+;)", text.replace("&&", "")))


def faults_of(text, translation):
    forms = translation if isinstance(translation, list) else [translation]
    if len(forms) != (2 if "%n" in text else 1):
        yield "needs one translation, or two where it has %n"
    for form in forms:
        if not form.strip():
            yield "has an empty translation"
        if marks(form) != marks(text) and not (form is forms[0] and len(forms) == 2):
            yield "has other %1, HTML or line ends"
        if letters(form) > letters(text):
            yield "has a letter to be reached by that the text has not"
        if form[:1].isspace() != text[:1].isspace() or form[-1:].isspace() != text[-1:].isspace():
            yield "begins or ends with another space"


def main():
    root = sys.argv[1]
    wanted = texts_of_window(root)
    folder = os.path.join(root, "resources", "translations")
    bad = 0
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts = json.load(file)["texts"]
        missing = [text for text in wanted if text not in texts]
        if sys.argv[2:] == ["--missing", name.split(".")[0]]:
            print(json.dumps({text: "" for text in missing}, ensure_ascii=False, indent=0))
            return 0
        lines = [f"{wanted[text]}: {json.dumps(text, ensure_ascii=False)} is not translated" for text in missing]
        lines += [f"{json.dumps(text, ensure_ascii=False)} stands nowhere any more" for text in texts if text not in wanted]
        for text, translation in texts.items():
            lines += [f"{json.dumps(text, ensure_ascii=False)} {fault}" for fault in faults_of(text, translation)]
        for line in lines:
            print(f"{name}: {line}")
        bad += len(lines)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""The two sides of a comparison, as processes that take turns."""
import os
import select
import subprocess
import time


class Failure(Exception):
    pass


def run(command, seconds=600):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failure("%s took more than %d s" % (os.path.basename(command[0]), seconds))
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or (done.stderr or done.stdout).splitlines()
        raise Failure((errors or ["status %d" % done.returncode])[0][:200])
    return done.stdout


def quantile(values, share):
    values = sorted(values)
    return values[int(share * (len(values) - 1) + 0.5)]


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


class Peer:
    """One side: a process that has compiled its program and runs it when told to."""

    def __init__(self, command, environment=None, seconds=120):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=dict(os.environ, **(environment or {})))
        try:
            self.seconds_compile = float(self.answer(seconds).split()[1])
        except Failure:
            self.stop()
            raise

    def answer(self, seconds):
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            self.stop()
            raise Failure("no answer within %d s" % seconds)
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            lines = self.process.stderr.read().strip().splitlines()
            raise Failure((lines or ["ended with status %d" % self.process.returncode])[-1][:200])
        return line

    def ask(self, line, seconds=120):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer says why
        return self.answer(seconds)

    def time(self, runs):
        """Wall and processor seconds of each run."""
        figures = [float(word) for word in self.ask("time %d" % runs, 30).split()]
        return figures[0::2], figures[1::2]

    def stop(self):
        self.process.kill()
        self.process.communicate()


class Samples:
    """What one side has taken: runs of a first turn that warms up do not count."""

    def __init__(self, peer, turn_seconds):
        self.peer = peer
        first = peer.time(1)[0][0]  # touches fresh memory
        self.runs = max(1, min(200, int(turn_seconds / max(first, 1e-5))))
        peer.time(self.runs)
        self.wall, self.cpu, self.rounds = [], [], []

    def turn(self):
        wall, cpu = self.peer.time(self.runs)
        self.wall += wall
        self.cpu += cpu
        self.rounds.append(median(wall))


def time_in_turns(sides, rounds, options):
    """The Samples of each of the peers."""
    begin = time.monotonic()
    samples = [Samples(peer, options.turn) for peer in sides]
    for done in range(rounds):
        for sample in samples:
            sample.turn()
        if done >= 2 and time.monotonic() - begin > options.seconds:
            break
    return samples

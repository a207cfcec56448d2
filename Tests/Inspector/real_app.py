"""Runs a program with a real inspector. It takes the commands of the mock app; see `MockApp.command`."""

import re
import shlex
import subprocess
from urllib.parse import urlsplit


class RealApp:
    def __init__(self, program, arguments=()):
        self.process = subprocess.Popen(
            [*shlex.split(program), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.address = None
        #: The line with the address.
        self.announced = None
        while self.address is None:
            self.read()

    @property
    def port(self):
        return urlsplit(self.address).port

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the program ended with {self.process.wait()}")
        found = re.search(r"http://127\.0\.0\.1:\d+/#open=[0-9a-f]+", line)
        if found:
            self.address = found[0]
            self.key = re.search(r"key for other pages: (\S+)", line)[1]
            self.announced = line.strip()
        return line.strip()

    def command(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        while (said := self.read()) != "ok":
            if said.startswith("error"):
                raise AssertionError(f"{line}: {said}")

    def kill(self):
        self.process.kill()
        self.stop()

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

"""Tests the page of the inspector in Chromium.

    python3 run.py [--program PROGRAM [--demo DEMO]] [--screenshots FOLDER] [-k PATTERN] [-v]

Without a program the page talks to a mock app. A program starts a real inspector and takes the commands of `MockApp`.
"""

import argparse
import os
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="a program with a real inspector")
    parser.add_argument("--demo", help="the program catena-demo, which shows HAR files")
    parser.add_argument("--screenshots", help="a folder for pictures of the page")
    parser.add_argument("-k", dest="patterns", action="append", help="only tests whose names have this in them")
    parser.add_argument("-v", action="store_true", help="name each test")
    options = parser.parse_args()
    if options.program:
        os.environ["INSPECTOR_PROGRAM"] = options.program
    if options.demo:
        os.environ["INSPECTOR_DEMO"] = str(Path(options.demo).resolve())
    if options.screenshots:
        os.environ["INSPECTOR_SCREENSHOTS"] = str(Path(options.screenshots).resolve())
    folder = Path(__file__).parent
    sys.path.insert(0, str(folder))
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in options.patterns] if options.patterns else None
    tests = loader.discover(str(folder), pattern="test_*.py")
    result = unittest.TextTestRunner(verbosity=2 if options.v else 1).run(tests)
    from case import close_browsers

    close_browsers()
    if result.testsRun == 0:
        sys.exit("no test was run")
    sys.exit(not result.wasSuccessful())


main()

"""What a time was measured on: the processor, and the seconds that it worked for programs that were started from here. On a machine that others
use these say what the clock on the wall does not."""
import resource
import subprocess


def processor():
    lines = subprocess.run(["lscpu"], capture_output=True, text=True).stdout.splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("Model name")), "unknown processor")


def seconds():
    """user and system time of all children that ended"""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

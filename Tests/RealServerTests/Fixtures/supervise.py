"""Runs a server in the foreground until it ends by itself or standard input does.

The test process holds the other end of standard input, so the server dies with it, however it dies. (The kernel's
parent-death signal is no help: it comes with the end of the *thread* that started the child.)
"""
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading

directory = sys.argv[1]
# Processes that leave the server's group, as PHP's do, become children of this process when their parents have ended.
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, start_new_session=True)


def end():
    try:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=3)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        pass
    try:
        os.killpg(server.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    # Only then are its children those of this process.
    server.wait()
    while children := left_over():
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            except (ProcessLookupError, ChildProcessError):
                pass


def left_over():
    """The children of this process apart from the server, which ends in server.wait()."""
    children = []
    for thread in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{thread}/children") as file:
            children += [int(child) for child in file.read().split()]
    return [child for child in children if child != server.pid]


def watch():
    asked = os.read(0, 1)
    ending.set()
    end()
    # Without a word the test process has died: nobody else will clean up.
    shutil.rmtree(directory if asked else os.path.dirname(directory), ignore_errors=True)


ending = threading.Event()
watcher = threading.Thread(target=watch, daemon=True)
watcher.start()
code = server.wait()
if ending.is_set():
    watcher.join()
else:
    end()
os._exit(code if code >= 0 else 128 - code)

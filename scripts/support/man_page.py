#!/usr/bin/env python3
"""Writes httpc's man page (section 1) to standard output, made from the help of the built command.

    scripts/support/man_page.py HTTPC
"""
import datetime
import json
import os
import subprocess
import sys
import time

TOPICS = ("logins", "profiles", "examples", "verbose", "exit-codes", "files")


def ask(httpc, *arguments):
    return subprocess.run([httpc, *arguments], check=True, capture_output=True, text=True).stdout


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\n".join("\\&" + line if line.startswith((".", "\\(aq")) else line for line in text.splitlines())


def names(argument):
    dashes = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", [])]
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        return f"\\fI{roff(value)}\\fR"
    bold = ", ".join(f"\\fB{roff(name)}\\fR" for name in dashes)
    return bold + (f" \\fI{roff(value)}\\fR" if argument["kind"] == "option" else "")


def meaning(argument):
    """The explanation of an argument, with the values and the default of an option."""
    text, values = argument.get("abstract", ""), argument.get("allValues") or []
    if not all(value in text for value in values):
        text += f" Values: {', '.join(values)}."
    if argument["kind"] == "option" and argument.get("defaultValue"):
        text += f" Default: {argument['defaultValue']}."
    return roff(text)


def shown(command):
    """The arguments of a command that are its own to explain."""
    return [one for one in command.get("arguments", []) if one["shouldDisplay"] and "\\-\\-help" not in names(one)]


def arguments(command):
    """Each argument of the request, by section."""
    title = None
    for argument in shown(command):
        if argument.get("sectionTitle") != title:
            title = argument.get("sectionTitle")
            if title:
                yield f".SS {roff(title)}"
        yield from (".TP", names(argument), meaning(argument))


def commands(command, known, above=()):
    """The sub-commands; options that a request has as well, with the same meaning, are named only."""
    for sub in command.get("subcommands", []):
        if sub["commandName"] == "help" or not sub.get("shouldDisplay", True):
            continue
        path = (*above, sub["commandName"])
        yield f".SS {roff('httpc ' + ' '.join(path))}"
        yield roff(sub.get("abstract", ""))
        again = []
        for argument in shown(sub):
            if "\\-\\-version" in names(argument):
                continue
            if (names(argument), meaning(argument)) in known:
                again.append(names(argument))
            else:
                yield from (".TP", names(argument), meaning(argument))
        if again:
            yield from (".PP", "As above: " + "; ".join(again) + ".")
        yield from commands(sub, known, path)


def topic(text):
    """The lines of a topic as they are, under their headings."""
    is_open = False
    for line in text.splitlines():
        if line and not line.startswith(" "):
            if is_open:
                yield ".fi"
            yield from (f".SH {roff(line)}", ".nf")
            is_open = True
        elif is_open:
            yield roff(line[2:]) if line.strip() else ""
    if is_open:
        yield ".fi"


def main(httpc):
    whole = json.loads(ask(httpc, "--experimental-dump-help"))["command"]
    version = ask(httpc, "--version").strip()
    date = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time()), datetime.timezone.utc)
    print(f'.TH HTTPC 1 "{date:%Y-%m-%d}" "httpc {version}" "User Commands"')
    print(".SH NAME\nhttpc \\- " + roff(whole["abstract"].rstrip(".").lower()))
    print(".SH SYNOPSIS\n.B httpc\n[\\fIoptions\\fR] \\fIURL\\fR\n.br\n.B httpc\n\\fICOMMAND\\fR [\\fIoptions\\fR]")
    print(".SH OPTIONS\n" + "\n".join(arguments(whole)))
    known = {(names(one), meaning(one)) for one in shown(whole)}
    print(".SH COMMANDS\nOptions before the name of a command belong to that command.\n" + "\n".join(commands(whole, known)))
    for name in TOPICS:
        print("\n".join(topic(ask(httpc, "help", name))))
    print(".SH SEE ALSO\n.BR curl (1)")


main(*sys.argv[1:])

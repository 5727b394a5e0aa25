"""Copies of source files in which the conditions of compilation read as on one of Apple's systems."""
import re

PLATFORMS = ("macOS", "iOS")
# Modules of other systems: no source that Apple's compiler reads may name them.
ABSENT = {"Glibc", "Musl", "Android", "WASILibc", "WinSDK", "CRT", "FoundationEssentials", "FoundationNetworking", "FoundationXML"}
DIRECTIVE = re.compile(r"^\s*#(if|elseif|else|endif)\b(.*?)(//.*)?$")
QUESTION = re.compile(r"\b(os|canImport|targetEnvironment)\s*\(\s*(\w+)[^()]*\)")
UNKNOWN = re.compile(r"\b(?:swift|compiler|arch|hasFeature|hasAttribute|_runtime|_endian|_pointerBitWidth)\s*\([^()]*\)|\b(?!true\b|false\b)[A-Za-z_]\w*\b")
IMPORT = re.compile(r"^(\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+)(\w+)")


def answer(kind, name, platform, modules):
    """Whether a question holds on a platform, where `modules` can be imported."""
    if kind == "os":
        return name == platform
    if kind == "targetEnvironment":
        return False
    return name in modules and not (name in ABSENT and platform in PLATFORMS)


def evaluated(condition, platform, modules):
    """The condition, its questions answered."""
    return QUESTION.sub(lambda match: str(answer(match[1], match[2], platform, modules)).lower(), condition)


def may_hold(condition, platform, modules):
    """Whether a condition can hold on a platform, whatever its parts that do not depend on the platform are."""
    text = evaluated(condition, platform, modules)
    for unknown in ("True", "False"):
        python = UNKNOWN.sub(unknown, text).replace("true", "True").replace("false", "False")
        python = re.sub(r"!(?!=)", " not ", python).replace("&&", " and ").replace("||", " or ")
        if eval(python.strip(), {"__builtins__": {}}):  # only literals and operators are left
            return True
    return False


def active_lines(text, platform, modules):
    """Per line: whether a platform's compiler reads it; for `#if`, `#elseif` and `#else`, the lines after it."""
    active, stack = [], []
    for line in text.splitlines():
        match = DIRECTIVE.match(line)
        if match and match[1] == "if":
            holds = may_hold(match[2], platform, modules)
            stack.append((holds, holds))
        elif match and match[1] == "endif":
            stack.pop()
        elif match:
            _, taken = stack[-1]
            holds = not taken and (match[1] == "else" or may_hold(match[2], platform, modules))
            stack[-1] = (holds, taken or holds)
        active.append(all(branch for branch, _ in stack))
    return active


def directives(text):
    """The lines, from 0, of conditions of compilation."""
    return [number for number, line in enumerate(text.splitlines()) if DIRECTIVE.match(line)]


def branches(text):
    """The lines, from 0, that begin a branch of a condition about platforms."""
    found, stack = [], []
    for number, line in enumerate(text.splitlines()):
        match = DIRECTIVE.match(line)
        if not match:
            continue
        if match[1] == "if":
            stack.append(bool(QUESTION.search(match[2])))
        if match[1] == "endif":
            stack.pop()
        elif stack[-1]:
            found.append(number)
    return found


def copy(text, platform, modules):
    """The text as a platform's compiler would read it, with the same line numbers."""
    lines = []
    loads = "FoundationNetworking" in text
    for line in text.splitlines():
        match = DIRECTIVE.match(line)
        if match and match[1] in ("if", "elseif"):
            line = line.replace(match[2], evaluated(match[2], platform, modules), 1)
        else:
            line = IMPORT.sub(lambda found: found[1] + absent(loading(found[2], loads)), line)
            line = re.sub(r"\b(Glibc|Musl)\.(?=[a-z])", lambda found: absent(found[1]) + ".", line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def loading(module, loads):
    """The module that replaces Foundation in files that load URLs."""
    return "FoundationURLSession" if loads and module in ("Foundation", "HttpConvPlatform") else module


def absent(module):
    """A module that no system of Apple's has gets a name that nothing has."""
    return f"{module}_is_not_on_Apple" if module in ABSENT else module


def imports(text):
    """The modules that a source imports."""
    return {match[2] for line in text.splitlines() if (match := IMPORT.match(line))}


def asked(text):
    """The modules that conditions ask for."""
    found = set()
    for line in text.splitlines():
        match = DIRECTIVE.match(line)
        if match:
            found |= {name for kind, name in QUESTION.findall(match[2]) if kind == "canImport"}
    return found


def copy_of_stub(text, platform, modules):
    """The copy of a stub. It may name modules that are absent on Linux, because it replaces a module that has those declarations."""
    lines = []
    for line in text.splitlines():
        match = DIRECTIVE.match(line)
        lines.append(line.replace(match[2], evaluated(match[2], platform, modules), 1) if match and match[2] else line)
    return "\n".join(lines) + "\n"

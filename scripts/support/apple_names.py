"""Names of the C library, and of Foundation, in code that Apple's compiler reads. Linux's C library replaces
Darwin's in the check, so each name is looked up in a list of Darwin's names. The build's index says where names are used."""
import functools
import itertools
import pathlib
import re

import apple_build
import apple_sources
from index_store import IndexStore
from swift_build import DEBUG, ROOT

LIST = apple_build.STUBS / "Darwin.names"
# Other libraries in C, the same everywhere.
LIBRARIES = re.compile(
    r"^(xml|html|XML_|HTML_|libxml2_|sqlite3|SQLITE_|z_stream|Z_|ZLIB_|(in|de)flate|(next|avail)_(in|out)$"
    r"|_?PQ|pgNotify$|(Conn|Exec)StatusType$|PostgresPollingStatusType$)", re.I)
OF_C = re.compile(r"^c:(?:\w+\.h@\d+)?@(?:F|T|macro|S|SA|E|EA|Ea)@(\w+)(?:@(?:FI@)?(\w+))?$")
OF_OVERLAY = re.compile(r"^s:5Glibc\d+")
# Declarations of Foundation that only macOS and Linux have.
NOT_ON = {"iOS": {"s:10Foundation7ProcessC": "Process", "s:10Foundation4HostC": "Host"}}


def known():
    """The names that Darwin has, each with the type that it has there where Linux has another one."""
    names = {}
    for line in LIST.read_text().splitlines():
        name, _, remark = line.partition("#")
        if name.strip():
            names[name.strip()] = remark.strip()
    return names


def c_name(name, usr):
    """The name of a declaration in C; none for any other declaration."""
    if name.startswith(("getter:", "setter:")):
        return None
    match = OF_C.match(usr)
    if match and not (LIBRARIES.match(match[1]) or match[1].startswith(("_xml", "_html"))):
        return match[2] or match[1]
    return re.split(r"\W", name)[0] if OF_OVERLAY.match(usr) else None


def check(targets, planted=()):
    """The names that Apple's systems lack, and the names with another type there."""
    names, problems, differing = known(), set(), {}
    for platform in apple_sources.PLATFORMS:
        modules = apple_build.AppleBuild(platform, targets).importable
        read = {
            str(source): apple_sources.active_lines(source.read_text(), platform, modules)
            for target in targets if target.is_on(platform) for source in target.sources
        }
        for file, line, name, usr in itertools.chain(references(targets), planted):
            if file not in read or line > len(read[file]) or not read[file][line - 1]:
                continue
            place = f"{pathlib.Path(file).relative_to(ROOT)}:{line}"
            if usr in NOT_ON.get(platform, {}):
                problems.add(f"{place}: {name} is not on {platform}")
            used = c_name(name, usr)
            if used and used not in names:
                problems.add(f"{place}: {used} is not in Support/AppleStubs/Darwin.names: does Darwin have it?")
            elif used and names[used]:
                differing.setdefault(f"{used} is {names[used]} there", set()).add(place)
    said = [f"{what}: {', '.join(sorted(places))}" for what, places in sorted(differing.items())]
    return sorted(problems), said


def references(targets):
    files = tuple(source for target in targets for source in target.sources)
    return indexed(files) + qualified(files)


@functools.cache
def indexed(files):
    return list(IndexStore(DEBUG / "index" / "store").references(files))


@functools.cache
def qualified(files):
    """Names written `Darwin.name`: no index of a build on Linux has them."""
    found = []
    for file in files:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found += [(str(file), number, name, f"c:@F@{name}") for name in re.findall(r"\bDarwin\.([A-Za-z_]\w*)", line)]
    return found

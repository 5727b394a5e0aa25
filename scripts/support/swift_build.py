"""The flags, sources and modules of this package's targets, from the last `swift build`."""
import json
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEBUG = ROOT / ".build" / "debug"

# Flags that name outputs, or that only a build of many files at once understands.
WITHOUT_VALUE = {"-incremental", "-enable-batch-mode", "-serialize-diagnostics", "-parseable-output", "-emit-objc-header", "-g",
                 "-gnone", "-wmo", "-no-emit-module-separately-wmo", "-index-ignore-system-modules", "-use-ld=lld"}
WITH_VALUE = {"-index-store-path", "-emit-objc-header-path", "-num-threads"}

COMMAND_LIBRARIES = {"HttpCTerminal", "HttpCClient", "HttpCRelay", "HttpCDemo"}


class Target:
    def __init__(self, command, dependencies):
        self.name = command["moduleName"]
        self.is_library = command["isLibrary"]
        self.sources = sorted(pathlib.Path(source) for source in command["sources"])
        self.modules = command["importPath"]
        self.flags = list(compiler_flags(command["otherArguments"]))
        self.dependencies = dependencies

    def is_on(self, platform):
        """iOS has no command line tools, and no use for the libraries of one."""
        return platform == "macOS" or self.is_library and self.name not in COMMAND_LIBRARIES

    def search_flags(self):
        """Where modules are found, in the form that tools other than the compiler take."""
        flags = iter(self.flags)
        for flag in flags:
            if flag in ("-Xcc", "-target", "-I"):
                yield from (flag, next(flags))
            elif flag.startswith("-I"):
                yield flag


def compiler_flags(arguments):
    arguments = iter(arguments)
    for argument in arguments:
        if argument == "-Xcc":
            value = next(arguments)
            if not value.startswith("-index-"):
                yield from (argument, value)
        elif argument in WITH_VALUE:
            next(arguments)
        elif argument not in WITHOUT_VALUE and not (argument[:2] == "-j" and argument[2:].isdigit()):
            yield argument


def targets(folder="Sources"):
    """This package's targets of one folder, each after those that it depends on."""
    file = DEBUG / "description.json"
    if not file.exists():
        raise SystemExit("build first: swift build --build-tests")
    description = json.loads(file.read_text())
    found = {}
    for command in description["swiftCommands"].values():
        sources = command["sources"]
        if sources and pathlib.Path(sources[0]).is_relative_to(ROOT / folder):
            found[command["moduleName"]] = command
    ordered = {}

    def add(name):
        if name in found and name not in ordered:
            dependencies = description["targetDependencyMap"].get(name, [])
            for dependency in dependencies:
                add(dependency)
            ordered[name] = Target(found[name], dependencies)

    for name in sorted(found):
        add(name)
    missing = [str(source) for target in ordered.values() for source in target.sources if not source.exists()]
    if missing or not ordered:
        raise SystemExit("the build is older than the sources: swift build --build-tests")
    return list(ordered.values())


def products():
    """The library products, each with the names of its targets."""
    package = subprocess.run([tool("swift"), "package", "dump-package"], cwd=ROOT, capture_output=True, check=True)
    found = json.loads(package.stdout)["products"]
    return {product["name"]: product["targets"] for product in found if "library" in product["type"]}


def tool(name):
    """A tool of the toolchain."""
    compiler = shutil.which("swiftc")
    if not compiler:
        raise SystemExit("there is no swiftc")
    return str(pathlib.Path(os.path.realpath(compiler)).parent / name)


def toolchain_library(name):
    return str(pathlib.Path(tool("swiftc")).parent.parent / "lib" / name)


def httpc():
    """The path of the built command, which is built if there is none."""
    if not (DEBUG / "httpc").exists():
        traits = (ROOT / "scripts/support/traits").read_text().split()
        subprocess.run(["swift", "build", *traits, "--product", "httpc"], cwd=ROOT, stdin=subprocess.DEVNULL, check=True)
    return str(DEBUG / "httpc")


def write_if_changed(file, text):
    if not file.exists() or file.read_text() != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def c_modules(target):
    """Flags for modules of C that a target needs on other systems, but not on this one."""
    pairs = dict.fromkeys(
        pair for other in targets() for pair in zip(other.flags, other.flags[1:])
        if pair[1].startswith("-fmodule-map-file="))
    known = set(zip(target.flags, target.flags[1:]))
    return [flag for pair in pairs if pair not in known for flag in pair]

"""Compiles targets for one of Apple's systems, as far as that is possible on Linux: against stubs of the frameworks."""
import pathlib
import re
import subprocess

import apple_sources
import snippets
from swift_build import ROOT, c_modules, tool, toolchain_library, write_if_changed

STUBS = ROOT / "Support" / "AppleStubs"
BUILD = ROOT / ".build" / "apple"
# Frameworks that only one of the systems has.
ONLY_ON = {"AppKit": "macOS", "UIKit": "iOS"}


def stubs(platform=None):
    """The frameworks that a platform has, or any of them."""
    names = {file.stem for file in STUBS.glob("*.swiftinterface")}
    return {name for name in names if not platform or ONLY_ON.get(name, platform) == platform}


def linux_modules(targets):
    """What can be imported on Linux."""
    folders = [pathlib.Path(toolchain_library("swift/linux")), pathlib.Path(targets[0].modules)]
    names = {file.stem for folder in folders for file in folder.glob("*.swiftmodule")}
    return names | {"Glibc"} | {"CLibXML2", "CZlib"}


class AppleBuild:
    def __init__(self, platform, targets):
        self.platform, self.targets = platform, targets
        self.folder = BUILD / platform
        self.modules = self.folder / "Modules"
        self.stamp = self.folder / "built"
        self.importable = (linux_modules(targets) - apple_sources.ABSENT) | stubs(platform)

    def build_stubs(self):
        """Compiles the stubs. Returns what the compiler says against them."""
        flags = self.targets[0].flags
        common = [flags[flags.index(name) + i] for name in ("-target", "-module-cache-path") for i in (0, 1)]
        self.modules.mkdir(parents=True, exist_ok=True)
        done = set()

        def build(name):
            if name in done:
                return ""
            done.add(name)
            source = STUBS / f"{name}.swiftinterface"
            text = source.read_text()
            imports = re.findall(r"^(?:@_exported )?(?:public )?import (\w+)", text, re.M)
            problems = "".join(build(other) for other in imports if other in stubs(self.platform))
            copy = self.folder / "Stubs" / source.name
            write_if_changed(copy, apple_sources.copy_of_stub(text, self.platform, self.importable))
            return problems + self.run(
                tool("swift-frontend"), "-compile-module-from-interface", str(copy), "-o", str(self.modules / f"{name}.swiftmodule"),
                "-module-name", name, "-I", str(self.modules), "-enable-library-evolution", "-swift-version", "6", *common)

        return "".join(build(name) for name in sorted(stubs(self.platform)))

    def copies(self, target, change=None):
        """Copies of a target's sources, as this platform's compiler would read them."""
        copies = []
        for source in target.sources:
            place = source.relative_to(ROOT)
            text = apple_sources.copy(source.read_text(), self.platform, self.importable)
            copy = self.folder / ("Changed" if change else "Copies") / place
            write_if_changed(copy, change(source, text) if change else text)
            copies.append(str(copy))
        return copies

    def compile(self, target, sources, *, module=None, outputs=True):
        """What the compiler says against a target, with everything it finds before it generates code."""
        name = module or target.name
        # A file of its own: as root, swiftc replaces whatever it is given, a device, too.
        made = ["-emit-sil", "-o", str(self.modules / f"{name}.sil")]
        if outputs:
            made += ["-emit-module-path", str(self.modules / f"{name}.swiftmodule")]
        return self.run(
            tool("swiftc"), *target.flags, *c_modules(target), "-warnings-as-errors", "-wmo", *made,
            "-module-name", name, "-I", str(self.modules), "-I", target.modules, *sources)

    def build(self):
        """Compiles everything that there is on the platform. Returns what the compiler says against it."""
        self.stamp.unlink(missing_ok=True)
        problems = self.build_stubs()
        for target in self.targets:
            if not problems and target.is_on(self.platform):
                problems = self.compile(target, self.copies(target))
        if not problems:
            self.stamp.touch()
        return problems

    def build_articles(self):
        """Compiles what articles have for these systems. Returns what the compiler says against it."""
        problems = ""
        # An article imports what it likes: it is compiled with the flags of whoever imports most.
        widest = max(self.targets, key=lambda target: len(target.flags))
        for target in self.targets:
            for page in sorted(ROOT.glob(f"Sources/{target.name}/*.docc/*.md")):
                for line, code in snippets.blocks(page):
                    if snippets.is_apple(code):
                        file = self.folder / "Articles" / f"{page.stem}-{line}.swift"
                        write_if_changed(file, snippets.located(page, line, code))
                        problems += self.compile(widest, [str(file)], module="Article", outputs=False)
        return problems

    def ensure(self):
        """Compiles everything unless that was done after the last change."""
        # Modules that did not change keep their date.
        read = [source for target in self.targets for source in target.sources] + list(STUBS.iterdir())
        newest = max(file.stat().st_mtime for file in read)
        if not self.stamp.exists() or self.stamp.stat().st_mtime < newest:
            problems = self.build()
            if problems:
                raise SystemExit(f"{self.platform}:\n{problems}")

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True)
        said = done.stderr + done.stdout
        if done.returncode == 0 and not re.search(r"\b(error|warning):", said):
            return ""
        text = said or f"{command[0]} ended with {done.returncode}\n"
        for folder in ("Copies", "Changed"):
            text = text.replace(f"{self.folder / folder}/", "")
        return text.replace(f"{self.folder / 'Stubs'}/", "Support/AppleStubs/")

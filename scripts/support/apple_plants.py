"""Shows that the check of Apple's sources finds mistakes, by planting each in a copy."""
import concurrent.futures
import pathlib
import re

import apple_build
import apple_names
import apple_sources
from swift_build import ROOT, write_if_changed

# For each mistake: its name, the platform, the compiler's message, and the source.
MISTAKES = [
    ("a method that the framework does not have", "macOS iOS", r"has no member 'close'", """
        #if canImport(WebKit)
        import WebKit
        @MainActor func planted(_ view: WKWebView) { view.close() }
        #endif
        """),
    ("a call off the main actor", "macOS iOS", r"main actor-isolated instance method 'stopLoading\(\)'", """
        #if canImport(WebKit)
        import WebKit
        func planted(_ view: WKWebView) { view.stopLoading() }
        #endif
        """),
    ("a delegate's method that is nearly right", "macOS iOS", r"nearly matches", """
        #if canImport(WebKit)
        import WebKit
        @MainActor final class Planted: NSObject {}
        extension Planted: WKNavigationDelegate {
            func webView(_ view: WKWebView, didFinnish navigation: WKNavigation?) {}
        }
        #endif
        """),
    ("an optional taken for a value", "macOS iOS", r"optional type 'WKFrameInfo\?' must be unwrapped", """
        #if canImport(WebKit)
        import WebKit
        @MainActor func planted(_ action: WKNavigationAction) -> Bool { action.targetFrame.isMainFrame }
        #endif
        """),
    ("a data race", "macOS iOS", r"risks causing data races", """
        #if !os(Linux)
        final class Planted { var count = 0 }
        @MainActor func take(_ planted: Planted) {}
        func planted(_ planted: Planted) async { await take(planted) }
        #endif
        """),
    ("a wrong type in the keychain's query", "macOS iOS", r"cannot convert", """
        #if canImport(Security) && !os(Linux)
        import Security
        func planted() -> OSStatus { SecItemDelete("text" as CFDictionary) }
        #endif
        """),
    ("another system's window", "iOS", r"cannot find type 'NSWindow'", """
        #if canImport(AuthenticationServices)
        import AuthenticationServices
        func planted() -> NSWindow? { nil }
        #endif
        """),
    ("a declaration of Linux used everywhere", "macOS iOS", r"cannot find 'OnLinux' in scope", """
        #if os(Linux)
        enum OnLinux {}
        #endif
        let planted = OnLinux.self
        """),
    ("a module of Linux imported everywhere", "macOS iOS", r"no such module 'Glibc_is_not_on_", """
        import Glibc
        """),
    ("a dialog's method that is nearly right", "macOS iOS", r"nearly matches", """
        #if canImport(WebKit)
        import WebKit
        @MainActor final class Planted: NSObject {}
        extension Planted: WKUIDelegate {
            func webViewDidClosed(_ view: WKWebView) {}
        }
        #endif
        """),
    ("a script's answer taken for a text", "macOS iOS", r"cannot convert return expression of type 'Any\?'", """
        #if canImport(WebKit)
        import WebKit
        @MainActor func planted(_ view: WKWebView) async throws -> String? {
            try await view.callAsyncJavaScript("", arguments: [:], in: nil, contentWorld: .defaultClient)
        }
        #endif
        """),
    ("an answer of the system that is not awaited", "iOS", r"'async' call in a function that does not support concurrency", """
        #if os(iOS)
        import UIKit
        @MainActor func planted(_ url: URL) -> Bool { UIApplication.shared.open(url) }
        #endif
        """),
    ("a scene taken for a window's scene", "iOS", r"cannot convert return expression of type 'UIScene\?'", """
        #if os(iOS)
        import UIKit
        @MainActor func planted() -> UIWindowScene? { UIApplication.shared.connectedScenes.first }
        #endif
        """),
    ("a window's parts that the other system has", "macOS", r"has no member 'windowScene'", """
        #if os(macOS)
        import AppKit
        @MainActor func planted(_ window: NSWindow) { _ = window.windowScene }
        #endif
        """),
    ("a view's modifier that does not exist", "macOS iOS", r"has no member 'onOpenURLs'", """
        #if canImport(SwiftUI)
        import SwiftUI
        @MainActor func planted(_ view: Text) -> some View { view.onOpenURLs { _ in } }
        #endif
        """),
    ("a version of an entry taken for a text", "macOS iOS", r"cannot convert value of type 'String'", """
        #if canImport(Security) && !os(Linux)
        import Security
        func planted(_ key: SecKey) -> CFData? {
            SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, "text", nil)
        }
        #endif
        """),
    ("an algorithm of another system", "macOS iOS", r"has no member 'ecdsaSignatureMessageX962SHA255'", """
        #if canImport(Security) && !os(Linux)
        import Security
        func planted(_ key: SecKey) -> Bool { SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA255) }
        #endif
        """),
    ("a constant property of a context that is set", "macOS iOS", r"has no member 'interactionAllowed'", """
        #if canImport(LocalAuthentication)
        import LocalAuthentication
        func planted(_ context: LAContext) { context.interactionAllowed = false }
        #endif
        """),
    ("a phase of a scene that does not exist", "macOS iOS", r"has no member 'suspended'", """
        #if canImport(SwiftUI)
        import SwiftUI
        func planted(_ phase: ScenePhase) -> Bool { phase == .suspended }
        #endif
        """),
    ("a parser of libxml2 without its context", "macOS iOS", r"missing argument", """
        #if canImport(libxml2)
        import libxml2
        func planted() { _ = xmlParseChunk(nil, nil, 0) }
        #endif
        """),
    ("a background session without a name", "macOS iOS", r"missing argument|incorrect argument label", """
        #if !canImport(FoundationNetworking)
        import Foundation
        func planted() -> URLSessionConfiguration { .background() }
        #endif
        """),
    ("a property of a configuration that the framework does not have", "macOS iOS", r"has no member 'proxies'", """
        #if !canImport(FoundationNetworking)
        import Network
        func planted(_ configuration: URLSessionConfiguration) -> Bool { configuration.proxies.isEmpty }
        #endif
        """),
    ("a warning", "macOS", r"was never used", """
        #if os(macOS)
        func planted() { let unused = 1 }
        #endif
        """),
]


def check(build):
    """The mistakes that were not found, in files of their own and in ours, and the branches that were not read."""
    platform, target = build.platform, build.targets[0]
    problems = []
    for what, platforms, expected, text in MISTAKES:
        file = build.folder / "Planted.swift"
        write_if_changed(file, apple_sources.copy(text, platform, build.importable))
        said = build.compile(target, [str(file)], module="Planted", outputs=False)
        if bool(re.search(expected, said)) != (platform in platforms.split()):
            problems.append(f"{platform}: planted {what}, and the compiler said {said or 'nothing'}")
    return problems + mistakes_in_files(build) + unread_branches(build)


def mistakes_in_files(build):
    """Plants a wrong type at the end of each file that only Apple's compiler reads, all those of a target at once. Returns the
    files in which it was not found."""
    def check(target):
        sources, planted = build.copies(target), []
        for number, source in enumerate(target.sources):
            lines = source.read_text().splitlines()
            if lines[-1] != "#endif" or not only_apples(source.read_text(), build.platform)[-2]:
                continue
            copy = build.folder / "Planted" / source.relative_to(ROOT)
            text = pathlib.Path(sources[number]).read_text().splitlines()
            write_if_changed(copy, "\n".join([*text[:-1], 'private let planted: Int = "text"', text[-1]]) + "\n")
            sources[number] = str(copy)
            planted.append((source, f"{copy}:{len(lines)}:"))
        said = build.compile(target, sources, outputs=False) if planted else ""
        return [f"{build.platform}: a wrong type in {source.relative_to(ROOT)} was not found"
                for source, place in planted if not re.search(re.escape(place) + r"\d+: error:", said)]

    targets = [target for target in build.targets if target.is_on(build.platform)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [problem for found in pool.map(check, targets) for problem in found]


def check_names(targets):
    """Names that Apple's systems lack, as if the index had them in a line that every compiler reads."""
    file = next(source for target in targets for source in target.sources if not apple_sources.branches(source.read_text()))
    place = f"{file.relative_to(ROOT)}:1"
    planted = {
        ("epoll_create1(_:)", "c:@F@epoll_create1"): f"{place}: epoll_create1 is not in",
        ("Process", "s:10Foundation7ProcessC"): f"{place}: Process is not on iOS",
    }
    found, _ = apple_names.check(targets, [(str(file), 1, name, usr) for name, usr in planted])
    return [f"planted {name} in {place}, and the check of names said {found or 'nothing'}"
            for (name, _), expected in planted.items() if not any(problem.startswith(expected) for problem in found)]


def unread_branches(build):
    """Plants an error into each branch of the sources' conditions: those that the platform's compiler should read fail."""
    expected, lines = set(), []
    for source in [source for target in build.targets if target.is_on(build.platform) for source in target.sources]:
        text = source.read_text()
        active = apple_sources.active_lines(text, build.platform, build.importable)
        copy = apple_sources.copy(text, build.platform, build.importable).splitlines()
        begins = set(apple_sources.branches(text))
        for number in apple_sources.directives(text):
            lines.append(copy[number])
            if number in begins:
                place = f"{source.relative_to(ROOT)}:{number + 1}"
                lines.append(f'#error("planted at {place}")')
                if active[number]:
                    expected.add(place)
    file = build.folder / "Branches.swift"
    write_if_changed(file, "\n".join(lines) + "\n")
    said = build.compile(build.targets[0], [str(file)], module="Planted", outputs=False)
    found = set(re.findall(r"error: planted at (\S+)", said))
    return [f"{build.platform}: {place} is {'not ' if place in expected else ''}read" for place in sorted(expected ^ found)]


def only_apples(text, platform):
    """Per line: whether a platform's compiler reads it, and that of Linux does not."""
    apple = {"AppKit", "UIKit", "AuthenticationServices", "Darwin", "LocalAuthentication", "Security", "SwiftUI", "WebKit", "Foundation", "libxml2"}
    here = apple_sources.active_lines(text, "Linux", {"Foundation", "FoundationNetworking", "Glibc"})
    return [there and not here for there, here in zip(apple_sources.active_lines(text, platform, apple), here)]


def unexecuted(folder):
    """Per file of a folder: how many lines of code only Apple's compiler reads."""
    counts = []
    for source in sorted(folder.rglob("*.swift")):
        text = source.read_text()
        there = [only_apples(text, platform) for platform in apple_sources.PLATFORMS]
        code = [line.strip() and not line.strip().startswith(("//", "#")) for line in text.splitlines()]
        count = sum(bool(is_code and any(read)) for is_code, *read in zip(code, *there))
        if count:
            counts.append((source, count))
    return counts


def read_and_unread(targets):
    """How many branches depend on the platform, and which of them neither Linux nor a check of Apple's reads."""
    platforms = {"Linux": apple_build.linux_modules(targets)}
    for platform in apple_sources.PLATFORMS:
        platforms[platform] = apple_build.AppleBuild(platform, targets).importable
    count, unread = 0, []
    for target in targets:
        for source in target.sources:
            text = source.read_text()
            active = [apple_sources.active_lines(text, *platform) for platform in platforms.items()]
            for number in apple_sources.branches(text):
                count += 1
                if not any(lines[number] for lines in active):
                    unread.append(f"{source.relative_to(ROOT)}:{number + 1}")
    return count, unread

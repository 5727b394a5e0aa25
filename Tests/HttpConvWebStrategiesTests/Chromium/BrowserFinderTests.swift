#if os(Linux)
import Foundation
import HttpConvAuthFlows
import TestSupport
import Testing

@testable import HttpConvWebStrategies

@Suite("Finding a browser")
struct BrowserFinderTests {
    private func withPrograms(_ names: [String], _ body: (String) throws -> Void) throws {
        let directory = try TemporaryPlace.folder("finder")
        defer { try? FileManager.default.removeItem(at: directory) }
        for name in names {
            let file = directory.appending(path: name)
            try Data("#!/bin/sh\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path())
        }
        try body(directory.path())
    }

    @Test func theFirstKnownNameIsTaken() throws {
        try withPrograms(["brave-browser", "google-chrome", "firefox"]) { directory in
            let finder = BrowserFinder(path: "/nowhere:\(directory)")
            for (name, expected) in [
                (nil, "google-chrome"), ("firefox", "firefox"), ("\(directory)/brave-browser", "brave-browser"),
            ] as [(String?, String)] {
                let found = try finder.find(name)
                #expect(found == "\(directory)/\(expected)")
            }
        }
    }

    @Test func whatIsNotThereIsAnError() throws {
        try withPrograms([]) { directory in
            let finder = BrowserFinder(path: ".:\(directory)")
            for name in [nil, "chromium", directory, "/nowhere/chromium"] as [String?] {
                #expect(throws: WebLoginError.self) { try finder.find(name) }
            }
        }
    }

    @Test func onlyRootGoesWithoutTheSandbox() {
        for isHeadless in [true, false] {
            let asRoot = BrowserArguments.make(profile: "/p", isHeadless: isHeadless, isRoot: true)
            #expect(asRoot.contains("--no-sandbox"))
            let asOther = BrowserArguments.make(profile: "/p", isHeadless: isHeadless, isRoot: false)
            #expect(!asOther.contains { $0.contains("sandbox") })
            #expect(!(asRoot + asOther).contains { $0.contains("ignore-certificate") })
        }
    }
}
#endif

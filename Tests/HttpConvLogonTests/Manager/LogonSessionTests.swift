import HttpC
import HttpConvPlatform
import HttpConversation
import TestLandscape
import Testing

@testable import HttpConvLogon

/// The cookies of processes that share one vault.
@Suite("Sessions of several processes", .timeLimit(.minutes(1))) struct LogonSessionTests {
    private static let names: Set = ["session", "mine", "theirs"]

    private func set(
        _ name: String, _ value: String, expires: Date? = nil, isSecure: Bool = false, in logon: Logon
    ) {
        logon.person.session.cookies.insert(
            Cookie(
                name: name, value: value, domain: "127.0.0.1", isHostOnly: true, expires: expires, isSecure: isSecure))
    }

    private func values(_ logon: Logon) -> [String: String] {
        let cookies = logon.person.session.cookies.snapshot.cookies.filter { Self.names.contains($0.name) }
        return Dictionary(cookies.map { ($0.name, $0.value) }) { $1 }
    }

    private func next(_ bench: LogonBench) async throws -> Logon {
        let logon = try bench.logon()
        try await logon.unlock(passcode: LogonBench.passcode)
        try await logon.resumeSession()
        return logon
    }

    @Test func newerCookiesOfAnotherProcessStay() async throws {
        try await withLogon { bench in
            let first = try await bench.registered()
            set("session", "1", in: first)
            try await first.keepSession()
            let second = try await next(bench)
            #expect(values(second) == ["session": "1"])
            set("session", "2", in: second)
            set("theirs", "x", in: second)
            try await second.keepSession()
            // The first process has changed nothing since.
            try await first.keepSession()
            #expect(try await values(next(bench)) == ["session": "2", "theirs": "x"])
            // Only its own change is stored.
            set("mine", "y", in: first)
            try await first.keepSession()
            #expect(try await values(next(bench)) == ["session": "2", "theirs": "x", "mine": "y"])
        }
    }

    /// Security rule S16: the vault keeps no cookies that a command line has named, unless the server changes them.
    @Test func cookiesFromElsewhereAreNotKept() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            set("session", "1", in: logon)
            try await logon.keepSession()
            let given = ["session", "mine", "theirs"].map {
                Cookie(name: $0, value: "given", domain: "127.0.0.1", isHostOnly: true)
            }
            await logon.use(given)
            #expect(values(logon) == ["session": "given", "mine": "given", "theirs": "given"])
            set("theirs", "changed", in: logon)
            try await logon.keepSession()
            #expect(try await values(next(bench)) == ["session": "1", "theirs": "changed"])
        }
    }

    @Test func removedCookiesAreRemovedUnlessTheyAreNewer() async throws {
        try await withLogon { bench in
            let first = try await bench.registered()
            for name in ["session", "theirs"] { set(name, "1", in: first) }
            try await first.keepSession()
            let second = try await next(bench)
            set("session", "2", in: second)
            try await second.keepSession()
            first.person.session.cookies.removeAll()
            try await first.keepSession()
            #expect(try await values(next(bench)) == ["session": "2"])
        }
    }
    @Test func ownNewerCookiesStay() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            for name in ["session", "mine"] { set(name, "1", in: logon) }
            try await logon.keepSession()
            set("session", "2", in: logon)
            set("mine", "", expires: .distantPast, in: logon)
            try await logon.resumeSession()
            #expect(values(logon) == ["session": "2"])
            try await logon.keepSession()
            #expect(try await values(next(bench)) == ["session": "2"])
        }
    }

    /// A process that does not know the Secure cookie of another one cannot have protected it from http (S15).
    @Test func cookiesFromHTTPReplaceNoSecureOnes() async throws {
        try await withLogon { bench in
            let first = try await bench.registered()
            let second = try await next(bench)
            set("session", "good", isSecure: true, in: first)
            set("mine", "evil", in: first)
            try await first.keepSession()
            set("session", "evil", in: second)
            set("mine", "good", isSecure: true, in: second)
            try await second.keepSession()
            try await first.resumeSession()
            #expect(values(first) == ["session": "good", "mine": "good"])
            try await second.resumeSession()
            #expect(values(second) == ["session": "good", "mine": "good"])
            // The second's cookies have not replaced the first's unsaved one.
            set("theirs", "good", isSecure: true, in: first)
            set("theirs", "evil", in: second)
            try await second.keepSession()
            try await first.resumeSession()
            try await first.keepSession()
            #expect(try await values(next(bench))["theirs"] == "good")
        }
    }
}

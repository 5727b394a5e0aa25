import Foundation
import HttpConvVault
import TestLandscape
import TestSupport
import Testing

/// The files of a profile's state, damaged or unusable.
@Suite(.timeLimit(.minutes(1))) struct StateTests {
    /// A profile that keeps cookies, and URLs that set and echo them.
    private struct Bench {
        let sandbox: Sandbox
        let landscape: Landscape
        var directory: String { sandbox.path("state/httpc/kept") }
        var set: String { landscape.urlString(.main, "/cookies/set?line=a%3D1%3B%20Max-Age%3D600") }
        var echo: String { landscape.urlString(.main, "/cookies/echo") }

        /// The cookies of each request.
        var sent: [[String]] { landscape.requests(path: "/cookies/echo").map { $0.values(of: "Cookie") } }

        func file(_ name: String) -> URL { URL(filePath: "\(directory)/\(name)") }

        /// Runs the command in a separate mount namespace, after a script that changes its mounts.
        func mounted(_ script: String, _ arguments: String...) async throws -> RunningCommand.Outcome {
            try await RunningCommand(
                [geteuid() == 0 ? "-m" : "-rm", "sh", "-ec", script + "\nexec \"$@\"", "sh", BuiltProduct.httpc]
                    + arguments,
                in: sandbox, program: "/usr/bin/unshare"
            ).outcome()
        }
    }

    private func withBench(_ body: (Bench) async throws -> Void) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            try sandbox.write(
                "[profiles.kept]\nmatch = [\"\(landscape.urlString())\"]\n", to: "config/httpc/config.toml")
            try await body(Bench(sandbox: sandbox, landscape: landscape))
        }
    }

    /// The same bench with a stored cookie.
    private func withCookie(_ body: (Bench) async throws -> Void) async throws {
        try await withBench { bench in
            #expect(try await bench.sandbox.httpc(bench.set).status == 0)
            _ = try await bench.sandbox.httpc(bench.echo)
            #expect(bench.sent == [["a=1"]])
            try await body(bench)
        }
    }

    @Test func aRelayFollowsALogout() async throws {
        try await withCookie { bench in
            let relay = try await RunningRelay([bench.landscape.urlString(.main, "")], in: bench.sandbox)
            _ = try await relay.curl("-f", "\(relay.url)/cookies/set?line=b%3D2%3B%20Max-Age%3D600")
            _ = try await relay.curl("-f", "\(relay.url)/cookies/echo")
            #expect(bench.sent.last?.first?.contains("b=2") == true)
            #expect(try await bench.sandbox.httpc("logout", "--profile", "kept").status == 0)
            _ = try await relay.curl("-f", "\(relay.url)/cookies/echo")
            #expect(bench.sent.count == 3 && bench.sent.last == [])
            #expect(await relay.end().status == 143)
            #expect(try await bench.sandbox.cookies("kept").isEmpty)
        }
    }

    @Test func aProfileThatKeepsNothingMakesNothing() async throws {
        try await withBench { bench in
            let outcome = try await bench.sandbox.httpc(bench.echo)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(!bench.sandbox.names.contains("state"))
            #expect(try await bench.sandbox.httpc("cookies", "list", "kept").output.isEmpty)
            #expect(try await bench.sandbox.httpc("cookies", "clear", "kept").status == 0)
            #expect(!bench.sandbox.names.contains("state"))
        }
    }

    /// A run that only reads does not change the vault.
    @Test func readingWritesNothing() async throws {
        try await withCookie { bench in
            let before = try Data(contentsOf: bench.file("vault.sqlite"))
            #expect(try await bench.sandbox.httpc(bench.echo).status == 0)
            #expect(try await bench.sandbox.httpc("cookies", "list", "kept").text.contains("127.0.0.1"))
            #expect(try Data(contentsOf: bench.file("vault.sqlite")) == before)
        }
    }

    /// No file contains the cookie's value, in any form.
    @Test func cookiesAreNotInTheClear() async throws {
        try await withBench { bench in
            let canary = "canary-of-a-cookie-0815"
            let line = bench.landscape.urlString(.main, "/cookies/set?line=a%3D\(canary)%3B%20Max-Age%3D600")
            #expect(try await bench.sandbox.httpc(line).status == 0)
            _ = try await bench.sandbox.httpc(bench.echo)
            #expect(bench.sent == [["a=\(canary)"]])
            for name in try FileManager.default.contentsOfDirectory(atPath: bench.directory) {
                let text = String(decoding: try Data(contentsOf: bench.file(name)), as: UTF8.self)
                #expect(Canary.forms(of: canary, in: text) == [], "\(name)")
            }
        }
    }

    /// Files that cannot be trusted or read are reported, with advice, before anything is sent.
    @Test(
        arguments: [
            ("vault.sqlite", "garbage", 23, "To start afresh, remove vault.sqlite*"),
            ("vault.sqlite", "cut", 23, "To start afresh, remove vault.sqlite*"),
            ("vault.sqlite", "empty", 23, "To start afresh, remove vault.sqlite*"),
            ("vault.sqlite", "link", 2, "link"), ("vault.sqlite", "pipe", 2, "special file"),
            ("vault.sqlite", "open", 2, "chmod 600"), ("vault.sqlite-wal", "link", 2, "link"),
            ("vault.key", "other", 2, "made with another key"), ("vault.key", "garbage", 2, "The key file"),
            ("vault.key", "gone", 2, "put vault.key back"), ("vault.key", "link", 2, "its own path"),
            ("vault.key", "pipe", 2, "special file"), ("vault.key", "open", 2, "chmod 600"),
        ] as [(String, String, Int32, String)])
    func aVaultThatCannotBeUsedIsAnError(name: String, change: String, status: Int32, message: String) async throws {
        try await withCookie { bench in
            let path = bench.file(name).path
            let target = try bench.sandbox.write("precious", to: "target")
            switch change {
            case "garbage": try Data(repeating: 0x5a, count: 24_576).write(to: bench.file(name))
            case "other": try Data(String(repeating: "0f", count: 32).utf8).write(to: bench.file(name))
            case "empty": truncate(path, 0)
            case "cut": truncate(path, 10_000)
            case "open": chmod(path, 0o644)
            case "gone": unlink(path)
            case "pipe":
                unlink(path)
                mkfifo(path, 0o600)
            default:
                unlink(path)
                symlink(target, path)
            }
            for arguments in [[bench.echo], ["cookies", "list", "kept"]] {
                let outcome = try await bench.sandbox.httpc(arguments)
                #expect(outcome.status == status, "\(outcome.errors)")
                #expect(outcome.errors.contains(message), "\(outcome.errors)")
                #expect(outcome.output.isEmpty)
            }
            #expect(bench.sent == [["a=1"]])
            #expect(bench.sandbox.read("target") == Data("precious".utf8))
            // Other sessions are not affected.
            #expect(try await bench.sandbox.httpc("-u", "bob:x", bench.echo).status == 0)
            #expect(bench.sent == [["a=1"], []])
        }
    }

    /// Security rule S22.
    @Test(arguments: ["state/httpc", "state/httpc/kept"]) func aDirectoryThatIsALinkIsRefused(name: String) async throws
    {
        try await withCookie { bench in
            let path = bench.sandbox.path(name)
            #expect(rename(path, bench.sandbox.path("elsewhere")) == 0)
            #expect(symlink(bench.sandbox.path("elsewhere"), path) == 0)
            let outcome = try await bench.sandbox.httpc(bench.echo)
            #expect(outcome.status == 23)
            #expect(outcome.errors.contains("it is not a directory"), "\(outcome.errors)")
            #expect(bench.sent == [["a=1"]])
        }
    }

    @Test func damagedCookiesCanBeCleared() async throws {
        try await withCookie { bench in
            try await bench.sandbox.withVault(of: "kept") { vault in
                _ = try await vault.write(Array("{\"cookies\":[canary]}".utf8), for: "cookies", in: "httpc")
            }
            let outcome = try await bench.sandbox.httpc(bench.echo)
            #expect(outcome.status == 23)
            #expect(outcome.errors.contains("httpc cookies clear kept"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("canary"))
            #expect(bench.sent.count == 1)
            #expect(try await bench.sandbox.httpc("cookies", "clear", "kept").status == 0)
            #expect(try await bench.sandbox.httpc(bench.echo).status == 0)
            #expect(bench.sent == [["a=1"], []])
        }
    }

    /// A vault that was made before the variable was set gets the variable's key, and the file goes.
    @Test func aVaultAdoptsTheKeyOfTheVariable() async throws {
        try await withCookie { bench in
            let variable = ["HTTPC_VAULT_KEY": String(repeating: "0f", count: 32)]
            for _ in 0..<2 {
                let outcome = try await bench.sandbox.httpc([bench.echo], environment: variable)
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(bench.sent.last == ["a=1"])
                #expect(bench.sandbox.read("state/httpc/kept/vault.key") == nil)
            }
            let without = try await bench.sandbox.httpc(bench.echo)
            #expect(without.status == 2 && without.errors.contains("HTTPC_VAULT_KEY"), "\(without.errors)")
            let other = try await bench.sandbox.httpc(
                [bench.echo], environment: ["HTTPC_VAULT_KEY": String(repeating: "1f", count: 32)])
            #expect(other.status == 2 && other.errors.contains("another key"), "\(other.errors)")
            #expect(bench.sent.count == 3)
        }
    }

    /// A process that is killed after it has given the vault the variable's key leaves the old file. A file with the
    /// variable's key stays.
    @Test func aKeyFileThatOpensNothingIsRemoved() async throws {
        try await withCookie { bench in
            let path = "state/httpc/kept/vault.key"
            let former = String(decoding: try #require(bench.sandbox.read(path)), as: UTF8.self)
            let key = String(repeating: "0f", count: 32)
            for (text, stays) in [(former, false), (former, false), (key, true)] {
                try bench.sandbox.write(text, to: path)
                let outcome = try await bench.sandbox.httpc([bench.echo], environment: ["HTTPC_VAULT_KEY": key])
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(bench.sent.last == ["a=1"])
                #expect((bench.sandbox.read(path) != nil) == stays)
            }
        }
    }

    /// A process that is killed between giving the key its name and removing the draft's leaves one.
    @Test func aSecondNameOfTheKeyIsRemoved() async throws {
        try await withCookie { bench in
            let draft = bench.file(".vault.key.1.2").path
            #expect(link(bench.file("vault.key").path, draft) == 0)
            let outcome = try await bench.sandbox.httpc(bench.echo)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(access(draft, F_OK) != 0)
            #expect(bench.sent == [["a=1"], ["a=1"]])
        }
    }

    /// Processes that are killed before there is a vault leave drafts. A draft that is new may be in use.
    @Test func oldDraftsAreRemoved() async throws {
        try await withBench { bench in
            #expect(mkdir(bench.sandbox.path("state"), 0o700) == 0)
            #expect(mkdir(bench.sandbox.path("state/httpc"), 0o700) == 0 && mkdir(bench.directory, 0o700) == 0)
            let names = [".vault.key.1.2", "vault.sqlite.new-1", "vault.sqlite.new-1-journal"]
            for name in names + ["vault.sqlite.new-2"] {
                try bench.sandbox.write("left", to: "state/httpc/kept/\(name)")
            }
            for name in names {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -120)], ofItemAtPath: bench.file(name).path)
            }
            #expect(try await bench.sandbox.httpc(bench.set).status == 0)
            let left = try FileManager.default.contentsOfDirectory(atPath: bench.directory)
            #expect(left.contains("vault.key") && left.contains("vault.sqlite.new-2"), "\(left)")
            #expect(names.allSatisfy { !left.contains($0) }, "\(left)")
        }
    }

    /// Damaged records only cost a login, or a code that the server refuses.
    @Test(arguments: ["web logins", "used one-time codes"]) func damagedNotesAreNone(record: String) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
            #expect(try await profile.run(profile.url("/saml/post-post/x")).status == 0)
            try await sandbox.withVault(of: "work") { vault in
                _ = try await vault.write(Array("no JSON".utf8), for: record, in: "httpc")
            }
            let outcome = try await profile.run(profile.url("/otp/saml/x"))
            #expect(outcome.text.contains("[\"SAML2\",\"OTP\"]"), "\(outcome.errors)")
            #expect(landscape.otpCounters.accepted == 1)
        }
    }

    #if os(Linux)
    /// In a read-only directory cookies are read if SQLite can read them; else the run goes on without them.
    @Test func aReadOnlyDirectoryIsSaid() async throws {
        try await withCookie { bench in
            let script = "mount --bind state state\nmount -o remount,bind,ro state"
            let reading = try await bench.mounted(script, bench.echo)
            #expect(reading.status == 0, "\(reading.errors)")
            #expect(reading.errors.contains("Warning:") && reading.errors.contains("cannot be written"))
            #expect(reading.text.contains("{"), "the answer is there")
            #expect(bench.sent == [["a=1"], []])
            // The request goes on, after one warning.
            let writing = try await bench.mounted(script, bench.set)
            #expect(writing.status == 0, "\(writing.errors)")
            #expect(writing.errors.split(separator: "Warning:").count == 2, "\(writing.errors)")
            #expect(writing.errors.contains("cannot be written"), "\(writing.errors)")
            // A command fails if it cannot do what it is asked for.
            let clearing = try await bench.mounted(script, "cookies", "clear", "kept")
            #expect(clearing.status == 23)
            #expect(clearing.errors.contains("cannot be written"), "\(clearing.errors)")
            let first = try await bench.mounted(
                "rm -r state/*\nmount --bind state state\nmount -o remount,bind,ro state", bench.set)
            #expect(first.status == 0)
            #expect(
                first.errors.contains("Warning:") && first.errors.contains("Read-only file system"), "\(first.errors)")
        }
    }

    /// The keys of known servers only make more servers trusted, so every request can do without them.
    @Test(arguments: ["read-only", "full", "key"]) func knownServersThatCannotBeReadAreAWarning(why: String)
        async throws
    {
        try await withCookie { bench in
            try FileManager.default.copyItem(
                atPath: bench.directory, toPath: bench.sandbox.path("state/httpc/.servers"))
            let none = try bench.sandbox.write("", to: "none.toml")
            #expect(mkdir(bench.sandbox.path("disk"), 0o700) == 0)
            let script =
                switch why {
                case "read-only": "mount --bind state state\nmount -o remount,bind,ro state"
                case "key": "printf '%064d' 0 > state/httpc/.servers/vault.key"
                default:
                    "mount -t tmpfs -o size=200k,mode=700 none disk\ncp -a state/httpc disk/\nmount --bind disk state\n"
                        + "cat /dev/zero > state/ballast 2>/dev/null || true"
                }
            let outcome = try await bench.mounted(script, "--config", none, bench.echo)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("Warning: The vault") || outcome.errors.contains("Warning: The disk"))
            #expect(outcome.errors.contains("keys you have accepted"), "\(outcome.errors)")
            #expect(bench.sent.count == 2)
        }
    }

    @Test func aFullDiskIsSaid() async throws {
        try await withCookie { bench in
            let full =
                "mount -t tmpfs -o size=64k,mode=700 none disk\ncp -a state/httpc disk/\nmount --bind disk state\n"
                + "cat /dev/zero > state/ballast 2>/dev/null || true"
            #expect(mkdir(bench.sandbox.path("disk"), 0o700) == 0)
            let reading = try await bench.mounted(full, bench.echo)
            #expect(reading.status == 0, "\(reading.errors)")
            #expect(reading.errors.contains("Warning: The disk or the quota is full"), "\(reading.errors)")
            #expect(reading.errors.contains(". Nothing"), "\(reading.errors)")
            #expect(bench.sent == [["a=1"], []])
            let writing = try await bench.mounted(full, bench.set)
            #expect(writing.status == 0)
            #expect(writing.errors.contains("Warning: The disk or the quota is full"), "\(writing.errors)")
            let first = try await bench.mounted(
                "mount -t tmpfs -o size=4k,mode=700 none state\ncat /dev/zero > state/ballast 2>/dev/null || true",
                bench.set)
            #expect(first.status == 0)
            #expect(first.errors.contains("Warning:"), "\(first.errors)")
            #expect(first.errors.contains("No space left") || first.errors.contains("full"), "\(first.errors)")
        }
    }
    #endif
}

import Foundation
import LandscapeSupport
import TestLandscape
import TestSupport
import Testing

/// Habits from curl: the server's name, its address, and the user.
@Suite(.landscape, .timeLimit(.minutes(1))) struct HabitTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    /// A custom `Host` is sent to the typed origin, also after redirects there, and decides nothing.
    @Test func aHostOfOnesOwn() async throws {
        try sandbox.write("Host: app.example\nX-Mine: 1\n", to: "fields")
        landscape.raw.respond(path: "/here", text: "HTTP/1.1 302 X\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n")
        landscape.raw.respond(
            path: "/next",
            text: "HTTP/1.1 302 X\r\nLocation: \(landscape.urlString(.main, "/json"))\r\nContent-Length: 0\r\n\r\n")
        let outcome = try await sandbox.httpc("-H", "@fields", landscape.urlString(.raw, "/here"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let hosts = ["/here", "/next", "/json"].map { landscape.requests(path: $0).last?.values(of: "Host").first }
        let main = landscape.urlString(.main, "").dropFirst("http://".count)
        #expect(hosts == ["app.example", "app.example", String(main)])
        #expect(landscape.requests(path: "/next").last?.values(of: "X-Mine").first == "1")
        let secure = try await sandbox.httpc(
            "--cacert", sandbox.authority(of: landscape), "-H", "Host: app.example",
            landscape.urlString(.secure, "/json"))
        #expect(secure.status == 0, "\(secure.errors)")
        let told = try await sandbox.httpc("-vv", "-H", "@fields", landscape.urlString(.main, "/json"))
        #expect(told.errors.contains("> Host: app.example\n"), "\(told.errors)")
    }

    /// A default field that was removed is not sent, neither by httpc nor by the transport.
    @Test(arguments: [LandscapeOrigin.main, .multiplexed])
    func fieldsThatAreRemoved(origin: LandscapeOrigin) async throws {
        let defaults = ["Accept", "Accept-Encoding", "User-Agent"]
        func names(_ options: [String]) async throws -> [String] {
            let outcome = try await sandbox.httpc(
                options + ["--cacert", sandbox.authority(of: landscape), landscape.urlString(origin, "/")])
            #expect(outcome.status == 0, "\(outcome.errors)")
            let request = try #require(landscape.requests(path: "/", origin: origin).last)
            return defaults.filter { !request.values(of: $0).isEmpty }
        }
        #expect(try await names([]) == defaults)
        #expect(try await names(["-H", "accept:"]) == ["Accept-Encoding", "User-Agent"])
        #expect(try await names(["-H", "Accept-Encoding:"]) == ["Accept", "User-Agent"])
        #expect(try await names(["-H", "User-Agent:"]) == ["Accept", "Accept-Encoding"])
        #expect(try await names(["-A", ""]) == ["Accept", "Accept-Encoding"])
        #expect(try await names(["-A", "", "-H", "User-Agent: mine"]) == defaults)
    }

    /// A message names each field that belongs to the connection.
    @Test(arguments: ["Connection: close", "TE: trailers", "Content-Length: 2", "transfer-encoding: chunked"])
    func fieldsOfTheConnection(field: String) async throws {
        let outcome = try await sandbox.httpc("-H", field, landscape.urlString(.main, "/json"))
        let name = field.prefix { $0 != ":" }
        #expect(outcome.status == 0 && outcome.errors.contains("-H: \(name) is not sent"), "\(outcome.errors)")
        #expect(landscape.requests().last?.values(of: String(name)) == [])
    }

    /// -sS shows failures only, as with curl.
    @Test func warningsAreNoFailures() async throws {
        try sandbox.write("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n\r\n", to: "heads")
        let options = ["-k", "-H", "Connection: close", "-r", "0-4", "-b", "heads", "-o", "a", "-o", "b"]
        let url = landscape.urlString(.secure, "/json")
        let loud = try await sandbox.httpc(options + [url])
        #expect(loud.status == 0, "\(loud.errors)")
        for text in ["-k:", "Connection is not sent", "(-r)", "is a cookie", "do nothing"] {
            #expect(loud.errors.contains(text), "\(text): \(loud.errors)")
        }
        let quiet = try await sandbox.httpc(["-sS"] + options + [url])
        #expect(quiet.status == 0 && quiet.errors.isEmpty, "\(quiet.errors)")
        let failed = try await sandbox.httpc(["-sS"] + options + ["https://127.0.0.1:1/"])
        #expect(failed.status == 7 && failed.errors.split(separator: "\n").count == 1, "\(failed.errors)")
    }

    /// An argument whose bytes would change is refused. Its number counts from 1.
    @Test(arguments: ["-d a=", "-H X:", "-b a=", "-u alice:", "-o ", "-T "])
    func bytesThatAreNoText(option: String) async throws {
        let line = "\"$0\" \"$1\" \(option)$(printf '\\344')"
        let outcome = try await RunningCommand(
            ["-c", line, BuiltProduct.httpc, landscape.urlString(.main, "/upload")], in: sandbox, program: "/bin/sh"
        ).outcome()
        #expect(outcome.status == 2 && outcome.errors.contains("Argument 3 is not UTF-8"), "\(outcome.errors)")
        #expect(landscape.requests().isEmpty)
    }

    /// Lines that are no cookies cause a message. A cookie file without cookies does not.
    @Test func aFileWithoutCookies() async throws {
        try sandbox.write("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n\r\n", to: "heads")
        try sandbox.write("# Netscape HTTP Cookie File\n\n", to: "jar")
        let url = landscape.urlString(.main, "/json")
        let heads = try await sandbox.httpc("-b", "heads", url)
        #expect(heads.status == 0 && heads.errors.contains("no line of \"heads\" is a cookie"), "\(heads.errors)")
        let empty = try await sandbox.httpc("-b", "jar", url)
        #expect(empty.status == 0 && empty.errors.isEmpty, "\(empty.errors)")
        #expect(landscape.requests().map { $0.values(of: "Cookie") } == [[], []])
    }

    /// TLS checks the URL's name, and the connection goes to the given address.
    @Test func addressesGivenByHand() async throws {
        let port = landscape.urlString(.main, "").split(separator: ":").last ?? ""
        let outcome = try await sandbox.httpc(
            "--resolve", "app.invalid:\(port):127.0.0.1", "http://app.invalid:\(port)/json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(landscape.requests(path: "/json").last?.values(of: "Host").first == "app.invalid:\(port)")
        let securePort = landscape.urlString(.secure, "").split(separator: ":").last ?? ""
        let foreign = try await sandbox.httpc(
            "--cacert", sandbox.authority(of: landscape), "--resolve", "app.invalid:\(securePort):127.0.0.1",
            "https://app.invalid:\(securePort)/json")
        #expect(foreign.status == 60)
        #expect(landscape.count(path: "/json") == 1)
    }

    /// The order of logins: -u, the URL, the file, the profile.
    @Test func loginsOfTheNetrcFile() async throws {
        try sandbox.write("machine 127.0.0.1 login alice password wonderland", to: ".netrc")
        try sandbox.write(
            "[profiles.p]\nmatch = [\"http://127.0.0.1/\"]\n[profiles.p.basic]\nusername = \"carol\"\npassword = \"x\"\n",
            to: "config/httpc/config.toml")
        let url = landscape.urlString(.main, "/basic/realm1/page")
        func users() -> [String] {
            landscape.requests(path: "/basic/realm1/page").compactMap { $0.values(of: "Authorization").first }.map {
                Data(base64Encoded: String($0.dropFirst("Basic ".count))).map {
                    String(decoding: $0, as: UTF8.self)
                }
                    ?? ""
            }
        }
        let config = ["--config", sandbox.path("config/httpc/config.toml"), "--profile", "p"]
        let fromFile = try await sandbox.httpc(["-n", "-f"] + config + [url])
        #expect(fromFile.status == 0, "\(fromFile.errors)")
        #expect(users() == ["alice:wonderland"], "not ahead of a challenge")
        _ = try await sandbox.httpc("-n", "-u", "bob:b", url)
        _ = try await sandbox.httpc("-n", url.replacing("//", with: "//dave:d@"))
        _ = try await sandbox.httpc("--basic", "--netrc-optional", url)
        #expect(users() == ["alice:wonderland", "bob:b", "dave:d", "alice:wonderland"])
        try sandbox.write("machine other.example login alice password wonderland", to: ".netrc")
        let none = try await sandbox.httpc("-n", "-f", url)
        #expect(none.status == 22 && none.errors.contains("no login for 127.0.0.1"), "\(none.errors)")
        try sandbox.write("machine 127.0.0.1 login alice password wonderland", to: ".netrc", mode: 0o644)
        let open = try await sandbox.httpc("-n", url)
        #expect(open.status == 26 && open.errors.contains("chmod 600"), "\(open.errors)")
    }

    /// A profile's password goes ahead to a server that is in its match as a whole, and to no other.
    @Test(arguments: ["password = \"wonderland\"", "password-env = \"PW\""])
    func basicSendsAProfilesPasswordAhead(password: String) async throws {
        let url = landscape.urlString(.main, "/echo")
        func httpc(match: String, _ arguments: String...) async throws -> RunningCommand.Outcome {
            try sandbox.write(
                "[profiles.p]\nmatch = [\"\(match)\"]\n[profiles.p.basic]\nusername = \"alice\"\n\(password)\n",
                to: "config/httpc/config.toml")
            return try await sandbox.httpc(["--basic"] + arguments, environment: ["PW": "wonderland"])
        }
        func sent(to origin: LandscapeOrigin) -> [[String]] {
            landscape.requests(origin: origin).map { $0.values(of: "Authorization") }
        }
        let basic = "Basic " + Data("alice:wonderland".utf8).base64EncodedString()
        let server = landscape.urlString(.main, "/")
        let ahead = try await httpc(
            match: server, url, landscape.urlString(.main, "/redirect/to/other?path=/echo"))
        #expect(ahead.status == 0, "\(ahead.errors)")
        #expect(sent(to: .main) == [[basic], [basic]])
        #expect(sent(to: .other) == [[]])
        let part = try await httpc(match: url, url)
        #expect(part.status == 2 && part.errors.contains("the match of the profile \"p\""), "\(part.errors)")
        let other = try await httpc(match: server, "--profile", "p", landscape.urlString(.other, "/echo"))
        #expect(other.status == 2, "\(other.errors)")
        #expect(landscape.requests().count == 3)
    }

    /// The program of a password does not run for a server that does not get the password.
    @Test func basicRunsNoProgramForAPlainServer() async throws {
        let place = sandbox.path("ran")
        try sandbox.write(
            """
            [profiles.p]
            match = ["http://app.invalid/"]
            [profiles.p.basic]
            username = "alice"
            password-command = ["touch", "\(place)"]
            """, to: "config/httpc/config.toml")
        let outcome = try await sandbox.httpc("--basic", "http://app.invalid/")
        #expect(
            outcome.status == 2 && outcome.errors.contains("--basic: http://app.invalid is plain http"),
            "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: place))
    }
}

import Foundation
import TestSupport
import Testing

/// The realms of `Fixtures/kerberos`, and a person's programs there. The library reads its configuration from the
/// environment only, so `httpc` runs as a process of its own.
struct KerberosRealm {
    let server: RealServer
    /// The person's home, with the caches of tickets.
    let home: URL
    private let authority: URL

    init() async throws {
        server = try await RealServers.shared.server(.kerberos)
        authority = try await RealServers.shared.authority()
        home = try TemporaryPlace.folder("kerberos")
    }

    func remove() { try? FileManager.default.removeItem(at: home) }

    /// A ready realm with a ticket of alice's.
    static func withTicket() async throws -> KerberosRealm {
        let realm = try await KerberosRealm()
        try await realm.kinit()
        return realm
    }

    var keytab: String { server.directory.appending(path: "alice.keytab").path }

    /// The log of the acceptor of our own, a line a request.
    func accepted(_ path: String) throws -> [String] { try server.log("acceptor.log", with: "\"\(path)\"") }

    // MARK: Tickets

    /// Gets a ticket-granting ticket with the keytab's keys, or with the password in another realm.
    func kinit(_ options: String..., realm: String = "TEST.EXAMPLE", cache: String = "own") async throws {
        let outcome = try await run(
            "/usr/bin/kinit", ["-f", "-c", path(cache)] + options + ["alice@\(realm)"],
            input: Array("\(TestUsers.alice.password)\n".utf8))
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    /// Waits until the key distribution center gives no more tickets for a cache.
    func waitForExpiry(of cache: String) async throws {
        for _ in 0..<1000 {
            let outcome = try await run("/usr/bin/kvno", ["-q", "-c", path(cache), "khttp/localhost@TEST.EXAMPLE"])
            if outcome.status != 0 { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw SetupFailure("the ticket does not expire")
    }

    func path(_ name: String) -> String { home.appending(path: name).path }

    // MARK: Programs

    func run(
        _ program: String, _ arguments: [String], cache: String = "own", input: [UInt8]? = nil,
        environment: [String: String] = [:]
    ) async throws -> Program.Outcome {
        let variables = environment.merging([
            "HOME": home.path, "XDG_CONFIG_HOME": path("config"), "XDG_STATE_HOME": path("state"),
            "PATH": "/usr/bin:/bin", "KRB5_CONFIG": server.directory.appending(path: "krb5.conf").path,
            "KRB5CCNAME": "FILE:\(path(cache))",
        ]) { own, _ in own }
        return try await Program.run(program, arguments, input: input, environment: variables, seconds: 60)
    }

    /// Runs `httpc` with the tickets of a cache.
    func httpc(
        _ arguments: [String], cache: String = "own", environment: [String: String] = [:]
    ) async throws -> Program.Outcome {
        try await run(
            BuiltProduct.httpc, ["--cacert", authority.path] + arguments, cache: cache, environment: environment)
    }

    /// Runs `httpc` with a profile for all of a server, without tickets in the cache.
    ///
    /// - Parameters:
    ///   - table: the lines of `[profiles.job.kerberos]`
    ///   - more: further lines of the profile
    func httpc(
        profile table: String, _ more: String = "", at match: String, _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> Program.Outcome {
        let file = path("profiles.toml")
        let text = """
            [profiles.job]
            match = ["\(match)"]
            cacert = "\(authority.path)"
            \(more)
            [profiles.job.kerberos]
            \(table)
            """
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        return try await run(
            BuiltProduct.httpc, arguments + ["--config", file], cache: "none", environment: environment)
    }
}

import Foundation
import TestSupport

/// The users of all servers, written by OpenSSL rather than by our own code.
enum TestUsers {
    struct User: Sendable {
        let name: String
        let password: String
    }

    static let alice = User(name: "alice", password: "secret")
    /// Characters beyond ISO-8859-1, which have only one encoding.
    static let zolw = User(name: "żółw", password: "pässwörd€")
    /// Characters within ISO-8859-1: the server must say that it expects UTF-8.
    static let juergen = User(name: "Jürgen", password: "größe")

    static let all = [alice, zolw, juergen]

    private static let realms: [(name: String, algorithm: String)] = [
        ("Digest staff", "md5"), ("Short", "md5"), ("Old vault", "md5"), ("Vault", "sha256"), ("Two vaults", "md5"),
        ("Two vaults", "sha256"),
    ]

    /// The files of passwords that each server gets, by name. Made once: OpenSSL runs for each line.
    static var files: [String: [UInt8]] { get async throws { try await made.value } }

    private static let made = Task {
        [
            "htpasswd": try await passwordFile(), "htpasswd-latin1": try await latin1PasswordFile(),
            "htdigest": try await digestFile(),
        ]
    }

    private static func passwordFile() async throws -> [UInt8] {
        var lines: [UInt8] = []
        for user in all { lines += Array("\(user.name):\(try await crypt(Array(user.password.utf8)))\n".utf8) }
        return lines
    }

    /// Docker's registry reads bcrypt only.
    static func bcryptPasswordFile() async throws -> [UInt8] {
        let hash = "import crypt, sys; print(crypt.crypt(sys.argv[1], '$2b$05$' + 'a' * 22), end='')"
        let outcome = try await Program.run("/usr/bin/python3", ["-Wignore", "-c", hash, alice.password])
        guard outcome.status == 0 else { throw SetupFailure("bcrypt: \(outcome.errors)") }
        return Array("\(alice.name):\(outcome.text)\n".utf8)
    }

    /// The password file with the only user of the proxies, whom the servers do not know.
    static func proxyPasswordFile() async throws -> [UInt8] {
        let user = RealProxy.user
        return Array("\(user.name):\(try await crypt(Array(user.password.utf8)))\n".utf8)
    }

    static func proxyDigestFile() async throws -> [UInt8] {
        let user = RealProxy.user
        let hash = try await openssl(["dgst", "-md5", "-r"], Array("\(user.name):squid:\(user.password)".utf8))
        return Array("\(user.name):squid:\(hash.prefix { $0.isHexDigit })\n".utf8)
    }

    private static func latin1PasswordFile() async throws -> [UInt8] {
        func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
        return latin1(juergen.name) + Array(":\(try await crypt(latin1(juergen.password)))\n".utf8)
    }

    private static func digestFile() async throws -> [UInt8] {
        var lines = ""
        for user in all {
            for (realm, algorithm) in realms {
                let hash = try await openssl(
                    ["dgst", "-\(algorithm)", "-r"], Array("\(user.name):\(realm):\(user.password)".utf8))
                lines += "\(user.name):\(realm):\(hash.prefix { $0.isHexDigit })\n"
            }
        }
        return Array(lines.utf8)
    }

    private static func crypt(_ password: [UInt8]) async throws -> String {
        try await openssl(["passwd", "-apr1", "-stdin"], password + [0x0A])
    }

    private static func openssl(_ arguments: [String], _ input: [UInt8]) async throws -> String {
        let outcome = try await Program.run("/usr/bin/openssl", arguments, input: Data(input))
        guard outcome.status == 0 else { throw SetupFailure("openssl: \(outcome.errors)") }
        return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

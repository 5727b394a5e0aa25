import Foundation
import TestSupport

/// The system's openssl, for comparison with our own code.
enum OpenSSL {
    static func sha512t256(_ text: String) async throws -> String {
        try await digest(text, "-sha512-256")
    }

    static func hmacSHA256(_ text: String, key: String) async throws -> String {
        try await digest(text, "-sha256", "-hmac", key)
    }

    private static func digest(_ text: String, _ options: String...) async throws -> String {
        let input = try TemporaryFile("text", contents: Data(text.utf8))
        let output = try await Program.run("/usr/bin/openssl", ["dgst"] + options + ["-r", input.path]).output
        return String(decoding: output.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }
}

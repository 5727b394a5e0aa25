import Foundation
import TestSupport

/// The system's openssl, for the hash that swift-crypto lacks.
enum OpenSSL {
    static func sha512t256(_ text: String) async throws -> String {
        let input = try TemporaryFile("text", contents: Data(text.utf8))
        let output = try await Program.run("/usr/bin/openssl", ["dgst", "-sha512-256", "-r", input.path]).output
        return String(decoding: output.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }
}

import Foundation
import TestSupport

extension Program {
    /// The SHA-256 of a file, in hexadecimal digits.
    static func sha256(of file: URL) async throws -> String {
        let outcome = try await run("/usr/bin/openssl", ["dgst", "-sha256", "-r", file.path])
        return String(outcome.text.prefix { $0.isHexDigit })
    }
}

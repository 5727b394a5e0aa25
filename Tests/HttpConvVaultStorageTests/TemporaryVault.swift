import Foundation
import HttpConvVault
import TestSupport

/// A place for a vault, removed with this value.
final class TemporaryVault: Sendable {
    static let secret = [UInt8](repeating: 7, count: 32)
    let root: URL
    var directory: URL { root.appendingPathComponent("vault") }

    init() throws {
        root = try TemporaryPlace.folder("VaultStorage")
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// A new handle on the vault.
    func vault(_ options: DataVaultConfiguration = DataVaultConfiguration()) async throws -> DataVault {
        try await DataVault.openOrCreate(at: directory, key: .bytes(Self.secret), configuration: options)
    }

    /// Whether a text occurs in any file below, in plain or in base64 at any alignment.
    func contains(_ secret: String) throws -> Bool {
        let forms =
            [Data(secret.utf8)]
            + (0..<3).map { shift in
                // Bytes around the secret change only the digits at both ends.
                let text = Data(Array(repeating: 0, count: shift) + Array(secret.utf8)).base64EncodedString()
                return Data(text.replacing("=", with: "").dropFirst(shift == 0 ? 0 : shift + 1).dropLast(1).utf8)
            }
        return try FileManager.default.subpathsOfDirectory(atPath: directory.path).contains { path in
            let content = FileManager.default.contents(atPath: directory.path + "/" + path) ?? Data()
            return forms.contains { content.range(of: $0) != nil }
        }
    }
}

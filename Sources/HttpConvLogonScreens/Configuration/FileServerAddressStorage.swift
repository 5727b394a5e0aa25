public import HttpConvLogon
public import HttpConvPlatform
import HttpConvVault
public import HttpConversation

/// Remembers the server's address in a file, in a directory that only the person can use (0700; security rule S22).
public struct FileServerAddressStorage: ServerAddressStorage {
    /// The file's directory.
    public let directory: URL

    private var file: PrivateFile { PrivateFile("server-address", in: directory) }

    /// Creates a storage in a directory, which is created if it is missing.
    public init(in directory: URL) { self.directory = directory }

    public func address() throws(LogonError) -> TargetURL? {
        do throws(DataVaultError) {
            guard let bytes = try file.read(upTo: 4096), !bytes.isEmpty else { return nil }
            return try Self.parse(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw Self.failure("read", error)
        }
    }

    public func keep(_ address: TargetURL?) throws(LogonError) {
        do throws(DataVaultError) {
            try file.replace(with: Array((address?.absoluteString ?? "").utf8))
        } catch {
            throw Self.failure("written", error)
        }
    }

    private static func parse(_ text: String) throws(DataVaultError) -> TargetURL {
        do throws(ConversationError) { return try TargetURL(text) } catch {
            throw DataVaultError(.damaged, "It holds no address: remove it.")
        }
    }

    private static func failure(_ what: String, _ error: DataVaultError) -> LogonError {
        LogonError(
            .operationNotAllowed, "The file that remembers the server's address cannot be \(what): \(error.message)",
            underlyingError: error)
    }
}

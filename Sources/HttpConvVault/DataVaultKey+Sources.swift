internal import Crypto
public import HttpConvPlatform

extension DataVaultKey {
    /// The key in an environment variable, as 64 hexadecimal digits or base64.
    ///
    /// - Throws: `.keyUnusable` if it is missing or malformed.
    public static func environment(
        _ name: String, in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(DataVaultError) -> DataVaultKey {
        guard let text = environment[name] else {
            throw DataVaultError(.keyUnusable, "The environment variable \(name) with the vault key is not set.")
        }
        return try .text(text, from: "The environment variable \(name)")
    }

    /// The key in a file, as 64 hexadecimal digits or base64.
    ///
    /// The last part of the path may not be a link. The file must be a regular one, belong to the user and be closed to
    /// group and others (`chmod 600`). All of that is checked on the opened descriptor.
    ///
    /// - Throws: `.insecurePermissions`, `.unsafeFile`, `.keyUnusable`.
    public static func file(_ url: URL) throws(DataVaultError) -> DataVaultKey {
        try .text(KeyFile.read(url.path), from: "The key file \(url.path)")
    }

    /// Writes a new random key into a new file with mode 0600 and returns it.
    ///
    /// - Throws: `.alreadyExists` if the path exists: a key is never overwritten.
    @discardableResult
    public static func createFile(_ url: URL) throws(DataVaultError) -> DataVaultKey {
        let key = SymmetricKey(size: .bits256)
        var text = key.withUnsafeBytes { Data($0).base64EncodedString() }
        text.append("\n")
        try KeyFile.create(url.path, text: text)
        return DataVaultKey(key)
    }
}

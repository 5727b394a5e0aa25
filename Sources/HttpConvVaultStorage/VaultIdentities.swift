internal import HttpConvPlatform
public import HttpConvVault
public import HttpConversation

/// Keeps client certificates with their keys in a ``/HttpConvVault/DataVault``, encrypted, each under a name.
///
/// ```swift
/// let identities = VaultIdentities(vault)
/// try await identities.store(.pkcs12(bytes, passphrase: passphrase), named: "work")
/// login.add(clientCertificate: VaultIdentityProvider(identities, named: "work"))
/// ```
/// All operations throw ``/HttpConvVault/DataVaultError`` if the vault fails. An unreadable record is such an error,
/// never "no certificate".
public struct VaultIdentities: Sendable {
    /// The default collection.
    public static let defaultCollection = "client-identities"

    /// The vault with the certificates.
    public let vault: DataVault
    /// The collection for the certificates, which holds nothing else.
    public let collection: String

    /// Keeps certificates in a collection of a vault; the vault may have other collections, too.
    public init(_ vault: DataVault, collection: String = VaultIdentities.defaultCollection) {
        self.vault = vault
        self.collection = collection
    }

    /// Stores a certificate with its key, replacing the one with this name.
    ///
    /// - Throws: ``/HttpConvVault/DataVaultError``
    public func store(_ identity: ClientIdentity, named name: String) async throws {
        let value = try IdentityRecord.encode(identity)
        _ = try await Task { try await vault.write(value, for: name, in: collection) }.value
    }

    /// The certificate with this name; nil if there is none.
    ///
    /// - Throws: ``/HttpConvVault/DataVaultError``
    public func identity(named name: String) async throws -> ClientIdentity? {
        try await vault.read(name, in: collection).map { try IdentityRecord.decode($0.value) }
    }

    /// The names of the certificates, sorted.
    ///
    /// - Throws: ``/HttpConvVault/DataVaultError``
    public func names() async throws -> [String] { try await vault.keys(in: collection).sorted() }

    /// Removes the certificate with this name.
    ///
    /// - Returns: whether there was one
    /// - Throws: ``/HttpConvVault/DataVaultError``
    @discardableResult
    public func remove(_ name: String) async throws -> Bool {
        try await Task { try await vault.delete(name, in: collection) }.value
    }
}

extension VaultIdentities: CustomStringConvertible, CustomReflectable {
    /// The vault's directory, without its content.
    public var description: String { "VaultIdentities in \(vault.directory.path)" }
    public var customMirror: Mirror { Mirror(self, children: ["identities": description]) }
}

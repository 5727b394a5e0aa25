internal import HttpConvPlatform
public import HttpConvVault
public import HttpConversation

/// Keeps the cookies of sessions in a ``/HttpConvVault/DataVault``, encrypted, such as those of a service's users.
///
/// ```swift
/// let kept = VaultCookies(vault)
/// let users = UserSessions<String> { user in
///     let cookies = try await kept.store(for: user) { logger.warning("Cookies were not saved: \($0.message)") }
///     return .init(session: HttpSession(cookies: cookies))
/// }
/// ```
/// All operations throw ``/HttpConvVault/DataVaultError`` if the vault fails. An unreadable record is such an error,
/// never "no cookies". If two processes serve one user at the same time, the cookies that are saved last are kept:
/// share tokens (``VaultTokenStorage``), or let one process serve a user.
public struct VaultCookies: Sendable {
    /// The default collection.
    public static let defaultCollection = "cookies"

    /// The vault with the cookies.
    public let vault: DataVault
    /// The collection for the cookies, which holds nothing else.
    public let collection: String

    /// Keeps cookies in a collection of a vault; the vault may have other collections, too.
    public init(_ vault: DataVault, collection: String = VaultCookies.defaultCollection) {
        self.vault = vault
        self.collection = collection
    }

    /// A store with the cookies of a user, whose later changes are saved while it is in use.
    ///
    /// A change is saved soon after it, not with it, also if the store is released meanwhile: a process that ends at
    /// that moment loses it. Cookies without an expiry are kept, too, because a service's session does not end with its
    /// process.
    ///
    /// - Parameters:
    ///   - user: an identifier that never changes and is never given to another user
    ///   - suffixes: the public suffix list of the store; nil: the list of the conversation that receives a cookie
    ///   - failed: called for each failure to save; the next change tries again
    public func store(
        for user: String, suffixes: PublicSuffixList? = nil, failed: @escaping @Sendable (DataVaultError) -> Void
    ) async throws(DataVaultError) -> CookieStore {
        var snapshot = CookieStore.Snapshot()
        if let record = try await vault.read(user, in: collection) { snapshot = try Self.decode(record.value) }
        let store = CookieStore(snapshot, suffixes: suffixes)
        let snapshots = store.snapshots
        Task {
            for await snapshot in snapshots {
                do throws(DataVaultError) { try await save(snapshot, for: user) } catch { failed(error) }
            }
        }
        return store
    }

    /// Replaces the cookies of a user.
    public func save(_ snapshot: CookieStore.Snapshot, for user: String) async throws(DataVaultError) {
        _ = try await vault.write(try Self.encode(snapshot), for: user, in: collection)
    }

    /// Removes the cookies of a user; a store of theirs that is still in use saves its next change.
    ///
    /// - Returns: whether there were any
    @discardableResult
    public func remove(_ user: String) async throws(DataVaultError) -> Bool {
        try await vault.delete(user, in: collection)
    }

    /// Removes the cookies of all users.
    public func removeAll() async throws(DataVaultError) { _ = try await vault.deleteAll(in: collection) }

    // The coders' own errors are left out: they may quote the record.

    private static func encode(_ snapshot: CookieStore.Snapshot) throws(DataVaultError) -> [UInt8] {
        do { return Array(try JSONEncoder().encode(snapshot)) } catch {
            throw DataVaultError(.invalidArgument, "The cookies cannot be written as JSON: is a date not finite?")
        }
    }

    private static func decode(_ value: [UInt8]) throws(DataVaultError) -> CookieStore.Snapshot {
        do { return try JSONDecoder().decode(CookieStore.Snapshot.self, from: Data(value)) } catch {
            throw DataVaultError(
                .damaged, "The record holds no cookies that this version can read. It can be overwritten or deleted.")
        }
    }
}

extension VaultCookies: CustomStringConvertible, CustomReflectable {
    /// The vault's directory, without its content.
    public var description: String { "VaultCookies in \(vault.directory.path)" }
    public var customMirror: Mirror { Mirror(self, children: ["cookies": description]) }
}

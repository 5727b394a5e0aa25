import HttpConvFormats
package import HttpConvPlatform

/// Directories of passcode vaults below one directory (0700). Each has a random name, and a small file that describes
/// its vault; one of them can be selected.
///
/// A directory appears together with its description, and it gets another name before its vault is destroyed. So a
/// crash leaves it there as a whole, or gone. The next change of the group, or ``finish()``, removes the rest.
package struct VaultGroup: Sendable {
    /// A step of a change after which a crash matters; for tests.
    package enum FailPoint: String, CaseIterable, Sendable {
        /// A new directory has its description and a temporary name.
        case drafted
        /// A new directory has its name.
        case placed
        /// A removed directory has its temporary name, and its vault still exists.
        case retired
        /// The vault of a removed directory is destroyed.
        case destroyed
    }

    private static let descriptionName = "account"
    private static let selectionName = "selected"
    /// The largest description and selection, in bytes.
    private static let longestFile = 16 << 10
    private static let nameLength = 32
    private static let (draft, removed) = (".new", ".removed")

    /// The directory of the group; it may be missing.
    package let directory: URL
    private let configuration: PasscodeVaultConfiguration
    private let failPoint: (@Sendable (FailPoint) -> Void)?

    /// - Parameter configuration: how this process uses the vaults
    package init(
        _ directory: URL, configuration: PasscodeVaultConfiguration = PasscodeVaultConfiguration(),
        failPoint: (@Sendable (FailPoint) -> Void)? = nil
    ) {
        self.directory = directory
        self.configuration = configuration
        self.failPoint = failPoint
    }

    /// Whether a text can be the name of one of the directories: 32 hexadecimal digits, which lead nowhere else.
    package static func isName(_ text: String) -> Bool {
        text.utf8.count == nameLength
            && text.utf8.allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
    }

    /// The directory of that name.
    package func directory(of name: String) -> URL { directory.appending(path: name, directoryHint: .isDirectory) }

    // MARK: Reading

    /// The names of all directories, in order.
    package func names() throws(DataVaultError) -> [String] { try names(with: "").sorted() }

    /// The description in a directory, of the group or not; nil if it has none.
    ///
    /// - Throws: `.notFound` if there is no such directory
    package static func description(in directory: URL) throws(DataVaultError) -> [UInt8]? {
        try VaultDirectory(directory, creating: false).read(descriptionName, upTo: longestFile)
    }

    /// The content of the selection; nil or empty if there is none.
    package func selection() throws(DataVaultError) -> [UInt8]? {
        guard try isThere() else { return nil }
        return try VaultDirectory(directory, creating: false).read(Self.selectionName, upTo: Self.longestFile)
    }

    /// The names of the directories that have a suffix, without it. Other entries are not the group's.
    private func names(with suffix: String) throws(DataVaultError) -> [String] {
        guard try isThere() else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.filter(Self.isName)
        } catch {
            throw DataVaultError(.ioFailure, "\(directory.path) cannot be listed.", underlyingError: error)
        }
    }

    /// Whether there is a directory. Checks it and the one above, which may be a link.
    private func isThere() throws(DataVaultError) -> Bool {
        do {
            for directory in [above, directory] { _ = try VaultDirectory(directory, creating: false) }
            return true
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }

    private var above: URL { directory.deletingLastPathComponent() }

    /// Locks the directory, which is created if it is missing.
    private func lock() async throws -> VaultDirectory {
        _ = try VaultDirectory(above, creating: true)
        return try await VaultDirectory.locked(directory, creating: true, configuration)
    }

    // MARK: Changing

    /// Runs a closure while no other process adds or removes a directory.
    package func exclusively<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () throws -> Result
    ) async throws -> Result {
        let locked = try await lock()
        defer { locked.unlock() }
        // Without the lock, a draft may be another process's.
        for name in try names(with: Self.draft) { try removeDirectory(name + Self.draft) }
        return try body()
    }

    /// Makes a directory with a description, and without a vault. Call it in ``exclusively(_:)``.
    ///
    /// - Returns: its name
    package func make(_ description: [UInt8]) throws(DataVaultError) -> String {
        let name = Hexadecimal.text(RandomBytes.make(Self.nameLength / 2))
        let draft = directory(of: name + Self.draft)
        try VaultDirectory(draft, creating: true).replace(Self.descriptionName, with: description)
        reach(.drafted)
        try rename(name + Self.draft, to: name)
        reach(.placed)
        return name
    }

    /// Replaces the description in a directory, of the group or not.
    ///
    /// - Throws: `.notFound` if there is no such directory; it is not created
    package func describe(_ directory: URL, _ description: [UInt8]) async throws {
        let locked = try await VaultDirectory.locked(directory, creating: false, configuration)
        defer { locked.unlock() }
        try locked.replace(Self.descriptionName, with: description)
    }

    /// Replaces the selection; empty: none.
    package func select(_ selection: [UInt8]) async throws {
        let locked = try await lock()
        defer { locked.unlock() }
        try locked.replace(Self.selectionName, with: selection)
    }

    /// Destroys the vault of a directory, and removes the directory.
    ///
    /// - Parameter ifEmpty: whether a directory with a vault is left alone
    /// - Throws: `.notFound` if there is no such directory; `.alreadyExists` if it has a vault that is left alone.
    ///   After any other error the next change of the group tries again, if the directory has its temporary name
    package func remove(_ name: String, ifEmpty: Bool = false) async throws {
        // With the lock, no process is making the vault now, and none can make it again under the old name.
        let locked = try await VaultDirectory.locked(directory(of: name), creating: false, configuration)
        do throws(DataVaultError) {
            if ifEmpty, PasscodeVault.exists(at: directory(of: name)) {
                throw DataVaultError(.alreadyExists, "There is a vault at \(directory(of: name).path).")
            }
            try rename(name, to: name + Self.removed)
        } catch {
            locked.unlock()
            throw error
        }
        locked.unlock()
        reach(.retired)
        try await end(name + Self.removed)
    }

    /// Finishes removals that were interrupted.
    package func finish() async throws {
        for name in try names(with: Self.removed) { try await end(name + Self.removed) }
    }

    /// Destroys a vault outside of the group, together with its description.
    package func empty(_ directory: URL) async throws {
        try await PasscodeVault.destroy(at: directory, configuration: configuration)
        guard let directory = try? VaultDirectory(directory, creating: false) else { return }
        try Self.removeDescription(from: directory)
    }

    private func end(_ name: String) async throws {
        try await PasscodeVault.destroy(at: directory(of: name), configuration: configuration)
        reach(.destroyed)
        try removeDirectory(name)
    }

    /// Removes a directory that has no vault.
    private func removeDirectory(_ name: String) throws(DataVaultError) {
        let path = directory(of: name).path
        do {
            try Self.removeDescription(from: VaultDirectory(directory(of: name), creating: false))
        } catch {
            // Another process was faster.
            guard error.code == .notFound else { throw error }
            return
        }
        guard rmdir(path) == 0 || errno == ENOENT else {
            throw errno == ENOTEMPTY || errno == EEXIST
                ? DataVaultError(
                    .ioFailure,
                    "The vault in \(path) is destroyed, but the directory holds files that are not the vault's: look at "
                        + "them, and remove it.")
                : SystemCallFailure.error("rmdir", errno, path)
        }
    }

    private static func removeDescription(from directory: borrowing VaultDirectory) throws(DataVaultError) {
        for file in [descriptionName] + VaultDirectory.companions(descriptionName) { try directory.remove(file) }
    }

    private func rename(_ name: String, to other: String) throws(DataVaultError) {
        let (from, to) = (directory(of: name).path, directory(of: other).path)
        guard HttpConvPlatform.rename(from, to) == 0 else {
            if errno == ENOENT { throw DataVaultError(.notFound, "There is no directory \(from).") }
            throw SystemCallFailure.error("rename", errno, from)
        }
        try VaultDirectory(directory, creating: false).synchronise()
    }

    private func reach(_ point: FailPoint) { failPoint?(point) }
}

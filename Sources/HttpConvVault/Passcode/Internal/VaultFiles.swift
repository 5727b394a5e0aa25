internal import HttpConvPlatform

/// The files beside the database, for the one process that holds the lock of their directory.
///
/// A vault exists as long as its slot does. The count is written before everything else and removed last. Files without
/// a slot are left over from an interrupted creation or wipe, and are removed.
final class VaultFiles: Sendable {
    let directory: VaultDirectory
    private let biometricKeys: (any BiometricKeys)?
    private let failPoint: (@Sendable (PasscodeFailPoint) -> Void)?

    /// The content of the files beside the database.
    struct Found: Sendable {
        let slot: PasscodeSlot
        let tries: PasscodeTries
        let stamp: VaultStamp
    }

    private init(_ directory: consuming VaultDirectory, _ configuration: PasscodeVaultConfiguration) {
        self.directory = directory
        biometricKeys = configuration.biometricKeys
        failPoint = configuration.failPoint
    }

    /// Returns the files if it gets the lock at once; nil if another process has it, or without locks.
    static func tryTake(_ url: URL, _ configuration: PasscodeVaultConfiguration) throws -> VaultFiles? {
        let directory = try VaultDirectory(url, creating: false)
        guard directory.tryLock() == .taken else { return nil }
        return VaultFiles(directory, configuration)
    }

    /// Runs a closure that has the files to itself. Once begun, it runs to its end, even if the task is cancelled.
    static func exclusively<Result: Sendable>(
        _ url: URL, creating: Bool = false, _ configuration: PasscodeVaultConfiguration,
        _ body: @escaping @Sendable (VaultFiles) async throws -> Result
    ) async throws(PasscodeVaultError) -> Result {
        do {
            let files = try await take(url, creating: creating, configuration)
            return try await Task { try await files.use(body) }.value
        } catch {
            throw PasscodeVaultFailure.error(error)
        }
    }

    private func use<Result: Sendable>(
        _ body: @Sendable (VaultFiles) async throws -> Result
    ) async throws -> Result {
        // Keep the lock until the body has ended.
        defer { directory.unlock() }
        return try await body(self)
    }

    private static func take(
        _ url: URL, creating: Bool, _ configuration: PasscodeVaultConfiguration
    ) async throws -> VaultFiles {
        VaultFiles(try await VaultDirectory.locked(url, creating: creating, configuration), configuration)
    }

    func reach(_ point: PasscodeFailPoint) { failPoint?(point) }

    // MARK: What is there

    /// Reads the files, and finishes an interrupted operation first.
    ///
    /// - Throws: `.notFound`, `.wiped`, `.damaged`, …
    func recover() throws -> Found {
        // The count decides first: a wipe may have been interrupted while overwriting the slot.
        let tries = try PasscodeTries.load(from: directory)
        if let tries, tries.mustWipe {
            try wipe(tries)
            throw PasscodeVaultFailure.wiped
        }
        switch try PasscodeSlot.load(from: directory) {
        case .none:
            if tries != nil { try removeAll() }
            throw Self.notFound(directory.path)
        case .overwritten:
            try removeAll()
            throw PasscodeVaultFailure.wiped
        case .slot(let slot):
            guard let tries else { throw PasscodeVaultFailure.damaged("the count of wrong tries is missing") }
            let current = try recoverChange(slot)
            try directory.retire(PasscodeSlot.fileName)
            return Found(slot: current, tries: tries, stamp: try VaultStamp(directory))
        }
    }

    /// Reads the files without the lock, changing nothing.
    static func look(_ url: URL) throws -> Found {
        let directory = try VaultDirectory(url, creating: false)
        let stamp = try VaultStamp(directory)
        // Without the lock, files come and go meanwhile. Reading the count first handles a wipe, which removes it last;
        // reading it again handles a creation, which writes it first.
        let before = try PasscodeTries.load(from: directory)
        guard case .slot(let slot) = try PasscodeSlot.load(from: directory) else { throw notFound(directory.path) }
        guard let tries = try before ?? PasscodeTries.load(from: directory) else {
            throw PasscodeVaultFailure.damaged("the count of wrong tries is missing")
        }
        // With no try left, the last try may be running in another process, and may succeed.
        guard !tries.isMarkedForWipe else { throw PasscodeVaultFailure.wiped }
        return Found(slot: slot, tries: tries, stamp: stamp)
    }

    static func notFound(_ path: String) -> PasscodeVaultError {
        PasscodeVaultError(.notFound, "There is no vault in \(path).")
    }

    func store(_ tries: PasscodeTries) throws {
        try tries.store(in: directory) { reach(.drafted) }
    }

    /// Replaces the slot.
    func store(_ slot: PasscodeSlot) throws {
        try directory.replaceSecret(PasscodeSlot.fileName, with: slot.encoded) {
            reach(.drafted)
        } replaced: {
            reach(.slotReplaced)
        }
    }

    // MARK: The end

    /// Destroys the vault: first its key, then its content.
    func wipe(_ tries: PasscodeTries?) throws {
        if var tries, !tries.isMarkedForWipe {
            // The next process finishes an interrupted wipe. A full disk must not prevent the wipe, which makes room.
            tries.markForWipe()
            try? store(tries)
        }
        reach(.wipeBegun)
        try removeAll()
    }

    /// Destroys a vault, readable or not.
    func destroy() throws {
        // An unreadable count is replaced by one that announces the wipe.
        let tries = (try? PasscodeTries.load(from: directory)) ?? PasscodeTries(policy: PasswordPolicy())
        let slots = [PasscodeSlot.fileName, PasscodeTries.fileName]
        // A database alone is not a passcode vault: leave it.
        guard try slots.contains(where: { try directory.stamp($0) != nil }) else { return }
        try wipe(tries)
    }

    private func removeAll() throws {
        let slots = [PasscodeSlot.fileName, PasscodeSlot.nextFileName].flatMap { [$0] + VaultDirectory.companions($0) }
        forgetBiometry()
        let intact = try slots.filter { try !overwrite($0) }
        reach(.keyOverwritten)
        try directory.removeDatabase()
        reach(.databaseRemoved)
        // There is more room now.
        for name in intact { _ = try overwrite(name) }
        for name in slots { try directory.remove(name) }
        try directory.synchronise()
        reach(.keyRemoved)
        for name in [PasscodeTries.fileName] + VaultDirectory.companions(PasscodeTries.fileName) {
            try directory.remove(name)
        }
        try directory.synchronise()
        reach(.wiped)
    }

    /// Overwrites a file. Returns false if the disk does not take the zeros: a file system that copies on write needs
    /// room for them. Then removing the file is better than leaving it.
    private func overwrite(_ name: String) throws(DataVaultError) -> Bool {
        do { try directory.overwrite(name) } catch {
            guard [.diskFull, .ioFailure].contains(error.code) else { throw error }
            return false
        }
        return true
    }

    /// Removes the key that fingers or faces release, which would open a copy of the files. The slot has its name.
    private func forgetBiometry() {
        guard let biometricKeys, case .slot(let slot) = try? PasscodeSlot.load(from: directory) else { return }
        biometricKeys.remove(PasscodeVault.biometryName(of: slot.vaultID))
    }

    // MARK: Making

    /// Checks that a vault can be made here; removes the rest of an interrupted creation or wipe.
    func clear() throws {
        do {
            _ = try recover()
        } catch let error as PasscodeVaultError where [.notFound, .wiped].contains(error.code) {
            guard try !directory.checkFiles() else { throw Self.alreadyExists(directory.path) }
            return
        }
        throw Self.alreadyExists(directory.path)
    }

    private static func alreadyExists(_ path: String) -> PasscodeVaultError {
        PasscodeVaultError(.alreadyExists, "There is a vault in \(path) already.")
    }
}

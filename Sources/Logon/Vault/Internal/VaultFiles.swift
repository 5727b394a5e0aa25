internal import DataVault
internal import Foundation
internal import HttpConvConcurrency
internal import MobileServices

/// The files beside the database, for the one process that has the lock of their directory.
///
/// A vault exists as long as its slot does. The count is written before everything else and removed last: files without a
/// slot are what a killed process left of making or wiping a vault, and go.
final class VaultFiles: Sendable {
    let directory: VaultDirectory
    private let failPoint: (@Sendable (PasscodeFailPoint) -> Void)?

    /// What stands beside the database.
    struct Found: Sendable {
        let slot: PasscodeSlot
        let tries: PasscodeTries
        let stamp: VaultStamp
    }

    private init(_ directory: consuming VaultDirectory, _ options: PasscodeVaultOptions) {
        self.directory = directory
        failPoint = options.failPoint
    }

    /// The files, if nobody else has them now.
    static func tryTake(
        _ url: URL, creating: Bool = false, _ options: PasscodeVaultOptions
    ) throws -> VaultFiles? {
        let directory = try VaultDirectory(url, creating: creating)
        guard directory.tryLock() else { return nil }
        return VaultFiles(directory, options)
    }

    /// Does something with the files while nobody else does. Once it has begun it ends, also where the task is cancelled.
    static func exclusively<Result: Sendable>(
        _ url: URL, creating: Bool = false, _ options: PasscodeVaultOptions,
        _ body: @escaping @Sendable (VaultFiles) async throws -> Result
    ) async throws(PasscodeVaultError) -> Result {
        do {
            let files = try await take(url, creating: creating, options)
            return try await Task { try await files.use(body) }.value
        } catch {
            throw VaultFailure.error(error)
        }
    }

    private func use<Result: Sendable>(
        _ body: @Sendable (VaultFiles) async throws -> Result
    ) async throws -> Result {
        // The lock must not end with the last use of the files.
        defer { directory.unlock() }
        return try await body(self)
    }

    private static func take(
        _ url: URL, creating: Bool, _ options: PasscodeVaultOptions
    ) async throws -> VaultFiles {
        var waited = Duration.zero
        var notice = Waiting.Notice()
        defer { notice.end() }
        while waited <= options.busyTimeout {
            if let files = try tryTake(url, creating: creating, options) { return files }
            notice.begin("for another process that uses the vault at \(url.path)", atMost: options.busyTimeout)
            try await options.clock.sleep(.milliseconds(10))
            waited += .milliseconds(10)
        }
        throw PasscodeVaultError(
            .busy, "Other processes are using the vault at \(url.path) for too long; try again.")
    }

    func reach(_ point: PasscodeFailPoint) { failPoint?(point) }

    // MARK: What is there

    /// The vault as it is; what a killed process left unfinished is finished first.
    ///
    /// - Throws: `.notFound`, `.wiped`, `.damaged`, …
    func settle() throws -> Found {
        // The count decides first: whoever wipes may have been killed in the middle of overwriting the slot.
        let tries = try PasscodeTries.load(from: directory)
        if let tries, tries.isOver {
            try wipe(tries)
            throw VaultFailure.wiped
        }
        switch try PasscodeSlot.load(from: directory) {
        case .none:
            if tries != nil { try removeAll() }
            throw Self.notFound(directory.path)
        case .overwritten:
            try removeAll()
            throw VaultFailure.wiped
        case .slot(let slot):
            guard let tries else { throw VaultFailure.damaged("the count of wrong tries is missing") }
            let current = try settleChange(slot)
            try directory.retire(PasscodeSlot.fileName)
            return Found(slot: current, tries: tries, stamp: try VaultStamp(directory))
        }
    }

    /// The same for who only looks.
    static func look(_ url: URL) throws -> Found {
        let directory = try VaultDirectory(url, creating: false)
        let stamp = try VaultStamp(directory)
        // In the order in which they go, and again in the order in which they come: nobody keeps them still meanwhile.
        let before = try PasscodeTries.load(from: directory)
        guard case .slot(let slot) = try PasscodeSlot.load(from: directory) else { throw notFound(directory.path) }
        guard let tries = try before ?? PasscodeTries.load(from: directory) else {
            throw VaultFailure.damaged("the count of wrong tries is missing")
        }
        // Without a try left somebody may be at the last one now, and may be right.
        guard !tries.isDoomed else { throw VaultFailure.wiped }
        return Found(slot: slot, tries: tries, stamp: stamp)
    }

    static func notFound(_ path: String) -> PasscodeVaultError {
        PasscodeVaultError(.notFound, "There is no vault in \(path).")
    }

    func store(_ tries: PasscodeTries) throws {
        try tries.store(in: directory) { reach(.drafted) }
    }

    /// Puts a slot in the place of the one that is there.
    func store(_ slot: PasscodeSlot) throws {
        try directory.replaceSecret(PasscodeSlot.fileName, with: slot.encoded) {
            reach(.drafted)
        } replaced: {
            reach(.slotReplaced)
        }
    }

    // MARK: The end

    /// Destroys the vault: first what opens it, then what is in it.
    func wipe(_ tries: PasscodeTries?) throws {
        if var tries, !tries.isDoomed {
            // Who finds half of it knows what to do.
            tries.doom()
            try store(tries)
        }
        reach(.wipeBegun)
        try removeAll()
    }

    /// Destroys what is there, readable or not.
    func destroy() throws {
        // One that cannot be read is replaced by one that says what is going on.
        let tries = (try? PasscodeTries.load(from: directory)) ?? PasscodeTries(policy: PasswordPolicy())
        let slots = [PasscodeSlot.fileName, PasscodeTries.fileName]
        // A database alone belongs to somebody else.
        guard try slots.contains(where: { try directory.identity($0) != nil }) else { return }
        try wipe(tries)
    }

    private func removeAll() throws {
        let slots = [PasscodeSlot.fileName, PasscodeSlot.nextFileName].flatMap { [$0] + VaultDirectory.companions($0) }
        for name in slots { try directory.overwrite(name) }
        reach(.keyOverwritten)
        try directory.removeDatabase()
        reach(.databaseRemoved)
        for name in slots { try directory.remove(name) }
        try directory.synchronise()
        reach(.keyRemoved)
        for name in [PasscodeTries.fileName] + VaultDirectory.companions(PasscodeTries.fileName) {
            try directory.remove(name)
        }
        try directory.synchronise()
        reach(.wiped)
    }

    // MARK: Making

    /// Whether a vault can be made here; what a killed process left of one goes.
    func clear() throws {
        do {
            _ = try settle()
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

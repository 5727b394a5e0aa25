import HttpC
package import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem
package import HttpConvVault
package import HttpConvVaultStorage
import Synchronization

/// The state of a profile, shared by all processes: one encrypted vault in its state directory.
///
/// It has the profile's tokens, and as ``StateRecord`` its cookies, the ends of its web logins, its sessions at
/// identity providers, and its used one-time codes. It is opened once, when first needed, and created when something is
/// first saved.
package final class ProfileState: Sendable {
    package let profile: String
    private let environment: [String: String]
    private let opened = Mutex<DataVault?>(nil)
    /// Whether it was said that there is no place for state.
    private let isWarned = Mutex(false)
    /// The path of the vault's database; nil without a place for state.
    private let database: String?

    package init(profile: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.profile = profile
        self.environment = environment
        database = Directories(environment).state.map { "\($0)/\(profile)/\(DataVault.databaseName)" }
    }

    /// The stamps of the vault's files, which differ after a commit of any process. Reading them is cheap enough for
    /// each request.
    var fileStamps: [FileStamp?] {
        guard let database else { return [] }
        return ["", "-wal"].map { FileStamp(path: database + $0) }
    }

    /// The vault, created if there is none.
    package func vault() async throws(CommandFailure) -> DataVault {
        do throws(StateProblem) { return try await made() } catch { throw error.failure }
    }

    /// The vault if there is one.
    package func existingVault() async throws(CommandFailure) -> DataVault? {
        do throws(StateProblem) { return try await found() } catch { throw error.failure }
    }

    /// The vault for dispensable state, created if there is none. Nil if it cannot be created; warns the first time.
    func usableVault(_ diagnostics: Diagnostics) async throws(CommandFailure) -> DataVault? {
        try await unlessNoPlace(diagnostics) { () throws(StateProblem) in try await made() }
    }

    /// As ``usableVault(_:)``, if there is one.
    func readableVault(_ diagnostics: Diagnostics) async throws(CommandFailure) -> DataVault? {
        try await unlessNoPlace(diagnostics) { () throws(StateProblem) in try await found() }
    }

    /// Changes dispensable state. Returns nil if it cannot be stored; warns the first time.
    func change<Value: Sendable>(
        _ diagnostics: Diagnostics, _ change: @escaping @Sendable (DataVaultTransaction) throws -> Value
    ) async throws(CommandFailure) -> Value? {
        guard let vault = try await usableVault(diagnostics) else { return nil }
        return try await VaultWork.uncancelled {
            do { return try await vault.transaction(change) } catch let error as DataVaultError where error.isNoPlace {
                self.warn(of: error, diagnostics)
                return nil
            }
        }
    }

    /// Warns, the first time, that an open vault cannot store a change.
    func warn(of error: DataVaultError, _ diagnostics: Diagnostics) {
        warn(StateFailure.failure(error), "Nothing new of the profile \"\(profile)\" is kept.", diagnostics)
    }

    private func warn(_ failure: CommandFailure, _ consequence: String, _ diagnostics: Diagnostics) {
        let isFirst = isWarned.withLock { isWarned in
            defer { isWarned = true }
            return !isWarned
        }
        if isFirst { diagnostics.message("Warning: \(failure.message) \(consequence)") }
    }

    /// The profile's tokens, in a vault that is created if there is none.
    package func tokens() async throws(CommandFailure) -> VaultTokenStorage { VaultTokenStorage(try await vault()) }

    /// The profile's tokens if it has a vault.
    package func existingTokens() async throws(CommandFailure) -> VaultTokenStorage? {
        try await existingVault().map { VaultTokenStorage($0) }
    }

    private func unlessNoPlace(
        _ diagnostics: Diagnostics, _ open: () async throws(StateProblem) -> DataVault?
    ) async throws(CommandFailure) -> DataVault? {
        do throws(StateProblem) { return try await open() } catch {
            guard error.isNoPlace else { throw error.failure }
            warn(
                error.failure, "Nothing of the profile \"\(profile)\" is kept, and nothing kept is used.", diagnostics)
            return nil
        }
    }

    private func found() async throws(StateProblem) -> DataVault? {
        if let vault = opened.withLock({ $0 }) { return vault }
        guard let directory = try StateDirectory.find(profile: profile, creates: false, environment: environment),
            directory.contains(DataVault.databaseName)
        else { return nil }
        return try await open(directory, creates: false)
    }

    private func made() async throws(StateProblem) -> DataVault {
        if let vault = opened.withLock({ $0 }) { return vault }
        guard let directory = try StateDirectory.find(profile: profile, creates: true, environment: environment)
        else {
            throw StateProblem(
                CommandFailure(.outputFailed, "There is no place for the state of the profile \"\(profile)\"."))
        }
        return try await open(directory, creates: true)
    }

    private func open(_ directory: StateDirectory, creates: Bool) async throws(StateProblem) -> DataVault {
        let key = try StateVaultKey.readOrMake(in: directory, environment: environment)
        do throws(DataVaultError) {
            do throws(DataVaultError) {
                let (url, settings) = (directory.url, Self.configuration)
                let vault =
                    try await creates
                    ? DataVault.openOrCreate(at: url, key: key, configuration: settings)
                    : DataVault.open(at: url, key: key, configuration: settings)
                await removeFormerKey(in: directory)
                return keep(vault)
            } catch  where error.code == .wrongKey {
                return keep(try await adopt(key, in: directory))
            }
        } catch {
            throw StateProblem(error, in: directory)
        }
    }

    /// Opens a vault that was made with the key file, gives it the key of the variable, and removes the file.
    ///
    /// - Throws: `.wrongKey` if the vault has a third key
    private func adopt(_ key: DataVaultKey, in directory: StateDirectory) async throws(DataVaultError) -> DataVault {
        do throws(DataVaultError) {
            if let former = StateVaultKey.former(in: directory, environment: environment) {
                let vault = try await DataVault.open(
                    at: directory.url, key: former, configuration: Self.configuration)
                try await vault.changeKey(from: former, to: key)
                directory.destroy(StateVaultKey.fileName)
                return vault
            }
        } catch {
            guard error.code == .wrongKey || error.code == .keyChanged else { throw error }
        }
        // Another process may have been faster.
        return try await DataVault.open(at: directory.url, key: key, configuration: Self.configuration)
    }

    /// Removes a key file that does not open the vault any more: a process was killed after it had given the vault the key
    /// of the variable.
    private func removeFormerKey(in directory: StateDirectory) async {
        guard let former = StateVaultKey.former(in: directory, environment: environment) else { return }
        do throws(DataVaultError) {
            try await DataVault.open(at: directory.url, key: former, configuration: Self.configuration).close()
        } catch {
            if error.code == .wrongKey { directory.destroy(StateVaultKey.fileName) }
        }
    }

    private static var configuration: DataVaultConfiguration {
        var configuration = DataVaultConfiguration()
        configuration.usesOneConnection = true
        return configuration
    }

    /// Keeps the first of two vaults that were opened at the same time.
    private func keep(_ vault: DataVault) -> DataVault {
        opened.withLock { opened in
            defer { opened = opened ?? vault }
            return opened ?? vault
        }
    }
}

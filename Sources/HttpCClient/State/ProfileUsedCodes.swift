import HttpC
import HttpCTerminal

/// Remembers used one-time codes for all processes of a profile.
struct ProfileUsedCodes: UsedCodeStorage {
    let state: ProfileState

    func note(_ step: UInt64, of secret: String, unlessLastIn taken: ClosedRange<UInt64>) async throws -> UInt64? {
        do throws(CommandFailure) {
            let vault = try await state.vault()
            return try await VaultWork.uncancelled {
                try await vault.transaction { transaction in
                    var steps = try StateRecords.usedCodes.value(in: transaction)
                    if let last = steps[secret], taken.contains(last) { return last }
                    steps[secret] = step
                    try StateRecords.usedCodes.set(steps, in: transaction)
                    return nil
                }
            }
        } catch {
            throw CommandFailure(
                error.status,
                "The one-time code was not sent, because it could not be noted as used. \(error.message)")
        }
    }
}

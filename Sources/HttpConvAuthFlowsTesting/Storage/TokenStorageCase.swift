/// A single promise of token storages.
public struct TokenStorageCase: Sendable, Identifiable {
    /// The stable and unique id, such as `leases.one-holder`.
    public let id: String
    /// The promise, in words.
    public let title: String
    let check: @Sendable (TokenStorageSubject) async throws -> Void

    init(_ id: String, _ title: String, check: @escaping @Sendable (TokenStorageSubject) async throws -> Void) {
        self.id = id
        self.title = title
        self.check = check
    }

    /// Checks the promise.
    ///
    /// - Parameters:
    ///   - subject: a new, empty storage
    ///   - limit: a case that takes longer is a finding
    /// - Throws: ``TokenStorageFinding``
    public func run(_ subject: TokenStorageSubject, timeLimit limit: Duration = .seconds(20)) async throws {
        let finding = await withTaskGroup(of: TokenStorageFinding?.self) { group in
            group.addTask {
                do {
                    try await check(subject)
                    return nil
                } catch let error as Broken {
                    return TokenStorageFinding(caseID: id, title: title, happened: error.happened)
                } catch {
                    return TokenStorageFinding(caseID: id, title: title, happened: "an error: \(error)")
                }
            }
            group.addTask {
                // A cancelled sleep: the case was faster.
                guard (try? await Task.sleep(for: limit)) != nil else { return nil }
                return TokenStorageFinding(caseID: id, title: title, happened: "nothing within \(limit)")
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if let finding { throw finding }
    }
}

extension TokenStorageCase: CustomStringConvertible {
    /// Id and title.
    public var description: String { "\(id): \(title)" }
}

/// A promise that a storage breaks.
public struct TokenStorageFinding: Error, Hashable, Sendable, CustomStringConvertible {
    /// The id of the case.
    public let caseID: String
    /// The promise.
    public let title: String
    /// The observed behaviour.
    public let happened: String

    public var description: String { "\(caseID) (\(title)): \(happened)" }
}

/// The error that a case throws at its first finding.
struct Broken: Error {
    let happened: String
}

/// Throws a finding unless a condition holds.
///
/// - Parameter happened: what happened if it does not hold
func promise(_ condition: Bool, otherwise happened: @autoclosure () -> String) throws {
    if !condition { throw Broken(happened: happened()) }
}

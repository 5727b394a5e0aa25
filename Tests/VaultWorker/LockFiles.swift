/// The files by which a test and a process that locks its vault wait for each other.
package struct LockFiles: Codable, Sendable {
    private let directory: String

    package init(directory: String) { self.directory = directory }

    /// Has the process id, once the tokens were read.
    package var opened: String { "\(directory)/opened" }
    /// There once the vault is to be locked.
    package var lock: String { "\(directory)/lock" }
    /// There once it is.
    package var locked: String { "\(directory)/locked" }
    /// There once the process is to end.
    package var end: String { "\(directory)/end" }
}

import Foundation

/// The task of a worker process.
package struct WorkerOrder: Codable, Sendable {
    package enum Task: Codable, Sendable {
        /// Send requests one after the other while they succeed.
        case request(path: String, times: Int)
        /// Send requests until a file exists.
        case requestUntil(path: String, file: String)
        /// Be killed at a step of the first rotation; the file is for ``RotationStep/afterSend``.
        case die(at: RotationStep, file: String)
        /// Be suspended at a step, and continue once a file exists. The process id is in `ready`.
        case stop(path: String, at: RotationStep, ready: String, file: String)
        /// Rotate and be killed at a random moment.
        case rotateAndDie(journal: String)
        /// Look tokens up under many keys, and renew some of them in between; prints a ``LookUpCount``. With a folder,
        /// the process creates a file there once it is ready, and begins when there is a file named `go`.
        case lookUp(keys: Int, times: Int, renewals: Int, folder: String? = nil)
        /// Read the tokens, lock the vault and stay, each once the test says so.
        case lock(LockFiles)
    }

    package let client: VaultClient
    package let task: Task

    package init(_ client: VaultClient, _ task: Task) {
        self.client = client
        self.task = task
    }

    /// The order as the worker's argument.
    package var text: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    init(text: String) throws { self = try JSONDecoder().decode(WorkerOrder.self, from: Data(text.utf8)) }
}

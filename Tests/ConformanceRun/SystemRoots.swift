import Foundation
import Synchronization

/// What URLSession trusts on Linux: the environment says where the certificates are, for the whole process.
enum SystemRoots {
    private static let isSet = Mutex(false)

    /// Once: the suite has one authority in a process.
    static func trust(_ roots: [UInt8]) throws {
        try isSet.withLock { isSet in
            guard !isSet else { return }
            let file = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString).pem")
            try Data(roots).write(to: file)
            setenv("URLSessionCertificateAuthorityInfoFile", file.path, 1)
            isSet = true
        }
    }
}

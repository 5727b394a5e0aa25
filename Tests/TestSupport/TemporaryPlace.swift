public import Foundation

/// Places for the files of a test, in the system's folder for temporary files. The test removes what it puts there.
public enum TemporaryPlace {
    /// A path that is not in use. It ends in `name`.
    public static func unused(_ name: String) -> URL {
        FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString)-\(name)")
    }

    /// A new folder that only the user can enter.
    public static func folder(_ name: String) throws -> URL {
        let folder = unused(name)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }
}

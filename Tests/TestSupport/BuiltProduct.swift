import Foundation

/// Programs that were built together with the tests.
public enum BuiltProduct {
    /// The command line tool.
    public static let httpc = path(of: "httpc")
    /// A process that shares a vault with others.
    public static let vaultWorker = path(of: "VaultWorker")
    /// The conformance suite by itself.
    public static let conformanceRun = path(of: "ConformanceRun")

    /// The path beside the test runner, or in a directory above it.
    private static func path(of name: String) -> String {
        let runner =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        for start in [runner, CommandLine.arguments[0]] {
            var directory = URL(filePath: start).resolvingSymlinksInPath().deletingLastPathComponent()
            for _ in 0..<4 {
                let candidate = directory.appending(path: name).path(percentEncoded: false)
                var isDirectory: ObjCBool = false
                if FileManager.default.fileExists(atPath: candidate, isDirectory: &isDirectory), !isDirectory.boolValue
                {
                    return candidate
                }
                directory.deleteLastPathComponent()
            }
        }
        return name
    }
}

import HttpC
import HttpCTerminal
import HttpConvPlatform

/// The destination of a transfer's body.
enum TransferDestination: Sendable {
    /// - takesAnything: whether the options name it (`-o -`), so that a terminal gets the bytes unchanged
    case standardOutput(takesAnything: Bool = false)
    case file(String)
    /// A file with the server's name, else the URL's last segment. Existing files are replaced only on request.
    case named(directory: String?, otherwise: String?, replacesFiles: Bool)

    /// The file's path, if it is known before the answer.
    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    var isStandardOutput: Bool {
        if case .standardOutput = self { true } else { false }
    }

    /// Whether written bytes stay even if the transfer fails.
    var isInPlace: Bool {
        switch self {
        case .standardOutput: true
        case .file(let path): path != "/dev/null" && OutputFile(URL(exactPath: path)).isWrittenInPlace
        case .named: false
        }
    }

    /// The file for an answer's body; nil for standard output.
    func file(for head: HTTPResponse) throws(ConversationError) -> (sink: OutputFile, path: String)? {
        switch self {
        case .standardOutput: return nil
        case .file(let path): return (OutputFile(URL(exactPath: path)), path)
        case .named(let directory, let otherwise, let replacesFiles):
            guard let name = RemoteName.of(head) ?? otherwise else {
                throw ConversationError(
                    .outputFailed, "Neither the answer nor the URL has a name for the file: give one with -o.")
            }
            let path = Self.path(name, in: directory)
            return (OutputFile(URL(exactPath: path), replacesFiles: replacesFiles), path)
        }
    }

    static func path(_ name: String, in directory: String?) -> String {
        guard let directory, !name.hasPrefix("/") else { return name }
        return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    }
}

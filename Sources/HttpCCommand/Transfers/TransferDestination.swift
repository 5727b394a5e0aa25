import Foundation
import HttpC

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

    /// Whether written bytes stay even if the transfer fails: a pipe or a device has no draft.
    var isInPlace: Bool {
        switch self {
        case .standardOutput: true
        case .file(let path): path != "/dev/null" && access(path, F_OK) == 0 && !InputFile.isRegular(path)
        case .named: false
        }
    }

    /// The file for an answer's body; nil for standard output.
    func file(for head: HTTPResponse) throws(ConversationError) -> (sink: OutputFile, path: String)? {
        switch self {
        case .standardOutput: return nil
        case .file(let path): return (OutputFile(URL(filePath: path)), path)
        case .named(let directory, let otherwise, let replacesFiles):
            guard let name = RemoteName.of(head) ?? otherwise else {
                throw ConversationError(
                    .outputFailed, "Neither the answer nor the URL has a name for the file: give one with -o.")
            }
            let path = Self.path(name, in: directory)
            return (OutputFile(URL(filePath: path), replacesFiles: replacesFiles), path)
        }
    }

    static func path(_ name: String, in directory: String?) -> String {
        guard let directory, !name.hasPrefix("/") else { return name }
        return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
    }

    /// The destinations of all URLs, in their order.
    static func all(_ options: FileOptions, _ urls: [TargetURL]) throws(CommandFailure) -> [TransferDestination] {
        if options.remoteNames > 0, !options.outputs.isEmpty {
            throw CommandFailure(.usage, "-o and -O exclude each other: which is for which URL could not be told.")
        }
        var destinations: [TransferDestination] = []
        var names: Set<String> = []
        for (index, url) in urls.enumerated() {
            if index < options.outputs.count {
                let output = options.outputs[index]
                destinations.append(
                    output == "-" ? .standardOutput(takesAnything: true) : .file(path(output, in: options.directory)))
            } else if options.allRemoteNames || options.outputs.isEmpty && index < options.remoteNames {
                destinations.append(try remote(options, url, &names))
            } else {
                destinations.append(.standardOutput())
            }
        }
        return destinations
    }

    private static func remote(
        _ options: FileOptions, _ url: TargetURL, _ names: inout Set<String>
    ) throws(CommandFailure) -> TransferDestination {
        let name = RemoteName.of(url)
        if options.headerName {
            return .named(directory: options.directory, otherwise: name, replacesFiles: options.replacesFiles)
        }
        guard let name else {
            throw CommandFailure(.outputFailed, "The URL ends in no name that -O could take: name the file with -o.")
        }
        guard names.insert(name).inserted else {
            throw CommandFailure(
                .usage, "Two URLs end in \"\(TerminalText.sanitise(name, limit: 60))\": name their files with -o.")
        }
        return .file(path(name, in: options.directory))
    }

    /// Warnings about options without effect, which curl accepts as well.
    static func warnings(_ options: FileOptions, count: Int) -> [String] {
        let surplus = max(options.outputs.count, options.remoteNames) - count
        let isUnnamed = options.headerName && !options.allRemoteNames && options.remoteNames == 0
        return [
            surplus > 0 ? "There are more of -o or -O than URLs: the last \(surplus) of them do nothing." : nil,
            isUnnamed ? "-J says what -O calls a file: without -O it does nothing." : nil,
        ].compactMap { $0 }
    }
}

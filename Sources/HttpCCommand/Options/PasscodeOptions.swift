import ArgumentParser
import HttpC
import HttpCClient

/// The source of a passcode without a person. There is no option that contains the passcode itself.
struct PasscodeOptions: ParsableArguments {
    @Option(
        name: .customLong("passcode-env"),
        help: ArgumentHelp("Takes the passcode from an environment variable.", valueName: "VAR"))
    var variable: String?

    @Option(
        name: .customLong("passcode-file"),
        help: ArgumentHelp("Takes it from the first line of a file that only you can read.", valueName: "file"))
    var file: String?

    func validate() throws {
        if variable != nil, file != nil {
            throw ValidationError("--passcode-env and --passcode-file exclude each other.")
        }
    }

    /// The source of the command line.
    var source: SecretSource? { variable.map { .environment($0) } ?? file.map { .file($0) } }
}

/// The source of a new passcode.
struct NewPasscodeOptions: ParsableArguments {
    @Option(
        name: .customLong("new-passcode-env"),
        help: ArgumentHelp("Takes the new passcode from an environment variable.", valueName: "VAR"))
    var variable: String?

    @Option(
        name: .customLong("new-passcode-file"),
        help: ArgumentHelp("Takes it from the first line of a file that only you can read.", valueName: "file"))
    var file: String?

    func validate() throws {
        if variable != nil, file != nil {
            throw ValidationError("--new-passcode-env and --new-passcode-file exclude each other.")
        }
    }

    /// The source of the command line.
    var source: SecretSource? { variable.map { .environment($0) } ?? file.map { .file($0) } }
}

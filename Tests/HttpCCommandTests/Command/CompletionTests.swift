import Foundation
import TestSupport
import Testing

@testable import HttpCCommand

/// The completions that real shells offer with the command's scripts.
@Suite(.timeLimit(.minutes(1))) struct CompletionTests {
    static let lines: [(line: String, offered: [String])] = [
        ("httpc help ex", ["examples", "exit-codes"]), ("httpc help logo", ["logon", "logout"]),
        ("httpc --profile ", ["field", "work"]), ("httpc tokens --profile wo", ["work"]),
        ("httpc lock --profile f", ["field"]), ("httpc cookies list ", ["field", "work"]),
        ("httpc --config other.toml login --profile ", ["elsewhere"]), ("httpc login --gra", ["--grant"]),
        ("httpc https://h/ --profile w", ["work"]), ("httpc unlock --profile work --account ", ["Home", "Office"]),
        ("httpc logon --switch O", ["Office"]), ("httpc lock --profile field --account ", []),
        ("httpc https://h/ --account H", ["Home"]),
    ]

    @Test func bash() async throws {
        let sandbox = try self.sandbox()
        try await script("bash", in: sandbox)
        let program = """
            source ./script; line="$1"; COMP_LINE="$line"; COMP_POINT=${#line}; COMP_WORDS=($line)
            [[ "$line" == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _httpc httpc "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\\n' "${COMPREPLY[@]}"
            """
        // A sub-command behind options is completed as a request.
        for (line, offered) in Self.lines where !line.contains("other.toml") {
            let outcome = try await run("/bin/bash", ["--norc", "-c", program, "x", line], in: sandbox)
            #expect(
                outcome.text.split(separator: "\n").map(String.init).sorted() == offered, "\(line): \(outcome.errors)")
        }
    }

    @Test func fish() async throws {
        let sandbox = try self.sandbox()
        try await script("fish", in: sandbox)
        for (line, offered) in Self.lines where !line.contains("other.toml") {
            let outcome = try await run(
                "/usr/bin/fish", ["-N", "-c", "source script; complete -C '\(line)'"], in: sandbox)
            let names = outcome.text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
            #expect(names.sorted() == offered, "\(line): \(outcome.errors)")
        }
    }

    /// Types a tab on a pseudo-terminal, and runs the completed line.
    @Test func zsh() async throws {
        let sandbox = try self.sandbox()
        try await script("zsh", in: sandbox)
        let program = """
            zmodload zsh/zpty; zpty t zsh -f -i
            zpty -w t "PROMPT=REA''DY; fpath=($PWD/functions \\$fpath); autoload -Uz compinit; compinit -u -D"
            zpty -r t out '*READY*'
            zpty -w t $'httpc help exi\\t'; zpty -r t out '*EXIT STATUS*READY*'; print -r -- "$out"
            zpty -w t $'httpc tokens --profile wo\\t'; zpty -r t out '*READY*'; print -r -- "$out"
            zpty -w t $'httpc cookies list fie\\t'; zpty -r t out '*READY*'; print -r -- "$out"
            """
        try FileManager.default.createDirectory(
            atPath: sandbox.path("functions"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: sandbox.path("script"), toPath: sandbox.path("functions/_httpc"))
        let outcome = try await run("/usr/bin/zsh", ["-f", "-c", program], in: sandbox)
        #expect(outcome.text.contains("EXIT STATUS"), "\(outcome.text)")
        #expect(outcome.text.contains("there are no tokens."), "\(outcome.text)")
        #expect(outcome.text.contains("there are no cookies of the profile \"field\"."), "\(outcome.text)")
    }

    @Test func configurationsThatAreNamed() throws {
        let sandbox = try self.sandbox()
        #expect(CompletedProfiles.names(["httpc", "--config", sandbox.path("other.toml")]).contains("elsewhere"))
        #expect(CompletedProfiles.names(["httpc", "--config=" + sandbox.path("other.toml")]).contains("elsewhere"))
        #expect(!CompletedProfiles.names(["httpc", "--config", sandbox.path("none.toml")]).contains("elsewhere"))
    }

    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.write("[profiles.work]\n[profiles.field]\n", to: "config/httpc/config.toml")
        try sandbox.write("[profiles.elsewhere]\n", to: "other.toml")
        try FileManager.default.createDirectory(atPath: sandbox.path("bin"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: sandbox.path("bin/httpc"), withDestinationPath: BuiltProduct.httpc)
        // A name that a shell would have to quote is not offered.
        for (digit, name) in [("a", "Home"), ("b", "Office"), ("c", "$(id)")] {
            let group = "state/httpc/work/logon/accounts"
            let folder = group + "/" + String(repeating: digit, count: 32)
            try sandbox.write("{\"version\":1,\"name\":\"\(name)\"}", to: folder + "/account")
            for directory in ["state/httpc/work/logon", group, folder] { chmod(sandbox.path(directory), 0o700) }
        }
        return sandbox
    }

    private func script(_ shell: String, in sandbox: Sandbox) async throws {
        let outcome = try await sandbox.httpc("--generate-completion-script", shell)
        #expect(outcome.status == 0)
        try sandbox.write(outcome.text, to: "script")
    }

    private func run(_ shell: String, _ arguments: [String], in sandbox: Sandbox) async throws -> RunningCommand.Outcome
    {
        try await RunningCommand(
            arguments, in: sandbox, program: shell,
            environment: ["PATH": "\(sandbox.path("bin")):/usr/bin:/bin"]
        ).outcome()
    }
}

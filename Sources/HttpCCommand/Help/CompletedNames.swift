import ArgumentParser
import HttpCClient
import HttpConvFormats
import HttpConvPlatform

/// The names that a shell's completion offers.
enum CompletedNames {
    /// Adds the topics of `httpc help` to a completion script: the argument parser's own `help` has no names.
    static func addTopics(to script: String) -> String {
        let commands = HttpcMain.configuration.subcommands.compactMap { $0.configuration.commandName }
        let topics = HelpTopic.allCases.map(\.rawValue)
        let names = topics + commands.filter { !topics.contains($0) }
        let list = names.joined(separator: " ")
        if script.hasPrefix("#compdef") {
            // zsh does not accept a list of URLs beside a sub-command's arguments.
            return script.replacing("        '*:URL:'\n", with: "", maxReplacements: 1)
                .replacing("'*:subcommands:'", with: "'1:topic:(\(list))'")
        }
        if script.hasPrefix("#!/bin/bash") { return bash(script, names, commands) }
        return fish(script)
            + "\ncomplete -c 'httpc' -n '__httpc_should_offer_completions_for_positional \"httpc help\" -eq 1' -fka '\(list)'"
    }

    /// Repairs the script for fish, which never ends: argparse refuses an option with a dot in its name, and then
    /// removes no word. The request's URLs, without a limit, would also take the sub-commands.
    private static func fish(_ script: String) -> String {
        let lines = script.split(ascii: "\n", keepsEmpty: true).map { line -> String in
            guard line.contains("__httpc_parse_subcommand ") else { return String(line) }
            return String(line).replacing(" 'http1.1'", with: "").replacing(
                "__httpc_parse_subcommand -r 1 'X/request='", with: "__httpc_parse_subcommand 0 'X/request='")
        }
        return lines.joined(separator: "\n")
            .replacing("argparse -sn \"$commands\"", with: "argparse -isn \"$commands\"")
            // The cursor's place within a word does not matter for names, and fish 3 does not report it.
            .replacing("(__httpc_tokens -tC)", with: "0")
    }

    /// Repairs the script for bash, which takes a sub-command for another URL: it now looks for a sub-command first.
    private static func bash(_ script: String, _ names: [String], _ commands: [String]) -> String {
        let offer = "    __httpc_offer_flags_options -1\n"
        let parts = script.split(separator: offer, omittingEmptySubsequences: false).map(String.init)
        // The first part is the request's, and the last one that of help.
        guard parts.count > 2 else { return script }
        // `odata` without a verb has the options of requests.
        let first = (commands.filter { $0 != "odata" } + ["help"]).joined(separator: "|")
        let dispatch = """
                if [[ "${COMP_CWORD}" -gt 1 ]]; then
                    case "${COMP_WORDS[1]}" in
                    \(first))
                        unparsed_words=("${COMP_WORDS[@]:2:$((COMP_CWORD - 1))}")
                        "_httpc_${COMP_WORDS[1]}"
                        return
                        ;;
                    esac
                fi

            """
        let topics = "    __httpc_add_completions -W '\(names.joined(separator: "'$'\\n''"))'\n"
        return parts[0] + dispatch + offer + parts[1..<(parts.count - 1)].joined(separator: offer) + offer + topics
            + parts[parts.count - 1]
    }
}

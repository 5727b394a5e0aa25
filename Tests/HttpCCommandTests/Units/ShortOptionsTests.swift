import ArgumentParser
import Testing

@testable import HttpCCommand

@Suite struct ShortOptionsTests {
    /// Short options are split as curl splits them.
    @Test(
        arguments: [
            ("-bsid=x", "-b sid=x"), ("-b=x", "-b =x"), ("-Xpost", "-X post"), ("-HName: x", "-H|Name: x"),
            ("-HName=x", "-H Name=x"), ("-oFILE", "-o FILE"), ("-uuser:p=w", "-u user:p=w"),
            ("-da=b&c=d", "-d a=b&c=d"),
            ("-T-", "-T -"), ("-cjar", "-c jar"), ("-m5", "-m 5"), ("-w%{http_code}", "-w %{http_code}"),
            ("-Afoo", "-A foo"), ("-e=x", "-e =x"), ("-sSfXPOST", "-s -S -f -X POST"), ("-sHName:x", "-s -H Name:x"),
            ("-su|alice", "-s -u alice"), ("-so|-X", "-s -o -X"), ("-u|-sS", "-u -sS"), ("-d|-bx=y", "-d -bx=y"),
            ("-xh:1", "-x h:1"), ("-sUa:b", "-s -U a:b"),
            ("-sS", "-s -S"), ("-C-", "-C -"), ("-sNC|-", "-s -N -C -"), ("-r0-9", "-r 0-9"), ("-sr-5", "-s -r -5"),
            ("-s|-|-b|x", "-s - -b x"), ("-|-s", "- -s"), ("-b-u|-sS", "-b -u -s -S"),
            ("--data|-bx=y|-bx=y", "--data -bx=y -b x=y"), ("--data=-b|-bx=y", "--data=-b -b x=y"),
            ("--fail|-bx=y", "--fail -b x=y"), ("--header|--|-bx=y", "--header -- -b x=y"), ("--|-bx=y", "-- -bx=y"),
            ("-Qb=x", "-Qb=x"), ("-sQb=x", "-sQb=x"), ("-Qalice:secret", "-Qalice:secret"), ("-OJ", "-O -J"),
            ("-ZOOJ", "-Z -O -O -J"), ("-sFa=@b", "-s -F a=@b"), ("a=b|-dc=d", "a=b -d c=d"),
            ("-d\u{e9}=\u{301}", "-d|\u{e9}=\u{301}"), ("-d\u{301}", "-d|\u{301}"),
        ] as [(String, String)])
    func clustersAreTakenApart(joined: String, separated: String) {
        func split(_ text: String, _ separators: String) -> [String] {
            text.unicodeScalars.split { separators.unicodeScalars.contains($0) }.map { String($0) }
        }
        let expected = separated.unicodeScalars.contains("|") ? split(separated, "|") : split(separated, " ")
        let found = ShortOptions.separated(split(joined, "|"))
        #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(found)")
    }

    private static func commands(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        command.configuration.subcommands.flatMap { [$0] + commands(below: $0) }
    }

    /// A new option must be in one of the sets, because its value may be a secret.
    @Test func theSetsAreThoseOfTheHelp() {
        let commands = [RequestCommand.self] + Self.commands(below: HttpcMain.self)
        var (flags, withValue, long, longFlags) = (Set<String>(), Set<String>(), Set<String>(), Set<String>())
        for command in commands {
            long.formUnion(command.helpMessage().matches(of: /(--[a-z0-9.-]+) </).map { String($0.1) })
            for match in command.helpMessage().matches(of: /\n  (?:-\w, )?(--[a-z0-9.\/-]+)(?=\n|  )/) {
                longFlags.formUnion(match.1.split(separator: "/").map { String($0) })
            }
            for match in command.helpMessage().matches(of: /(?:^|\n) *-([A-Za-z46])(?:, --[a-z0-9.-]+)?( <)?/) {
                if match.2 == nil { flags.insert(String(match.1)) } else { withValue.insert(String(match.1)) }
            }
        }
        #expect(Set(ShortOptions.flags.map { String(UnicodeScalar($0)) }) == flags)
        #expect(Set(ShortOptions.withValue.map { String(UnicodeScalar($0)) }) == withValue)
        #expect(ShortOptions.longWithValue == long)
        #expect(ShortOptions.longFlags == longFlags)
    }

    @Test(
        arguments: [
            (["-Xpost"], "X", ["post"]), (["-sSXpost"], "X", ["post"]), (["-ualice:p=w"], "u", ["alice:p=w"]),
            (["-su", "alice"], "u", ["alice"]), (["-cjar=1"], "c", ["jar=1"]), (["-oa=b"], "o", ["a=b"]),
            (["-wx=%{http_code}"], "w", ["x=%{http_code}"]), (["-Tup=load"], "T", ["up=load"]),
            (["-Aa=b"], "A", ["a=b"]),
            (["-ehttp://h/?a=b"], "e", ["http://h/?a=b"]), (["-HA: b=c", "-sHD:e"], "H", ["A: b=c", "D:e"]),
            (["-da=b", "-sdc", "-d", "-x=y"], "d", ["a=b", "c", "-x=y"]),
            (["-Fa=@b;type=c", "-sFd=e"], "F", ["a=@b;type=c", "d=e"]), (["-oa", "-ob"], "o", ["a", "b"]),
            (["-bsid=x", "-sbfile"], "b", ["sid=x", "file"]), (["-m2.5"], "m", ["2.5"]), (["-sm2.5"], "m", ["2.5"]),
            (["-skm", "2.5"], "m", ["2.5"]),
        ] as [([String], Character, [String])])
    func valuesArrive(arguments: [String], option: Character, values: [String]) throws {
        let words = ShortOptions.separated(arguments + ["http://h/"])
        let command = try #require(try RequestCommand.parseAsRoot(words) as? RequestCommand)
        let one: [Character: String?] = [
            "X": command.request.method, "u": command.login.user, "c": command.login.cookieJar,
            "w": command.output.writeOut,
            "A": command.request.userAgent, "e": command.request.referer,
            "m": command.server.maximumTime.map { "\($0)" },
        ]
        let several = [
            "H": command.request.headers, "d": command.body.data, "b": command.login.cookies,
            "o": command.files.outputs, "T": command.body.uploads, "F": command.body.form,
        ]
        let found = several[String(option)] ?? [one[option] ?? nil].compactMap { $0 }
        #expect(found == values)
        #expect(command.urls == ["http://h/"])
    }
}

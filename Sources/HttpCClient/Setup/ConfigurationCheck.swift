import HttpC
package import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// Finds what is wrong or surprising in a configuration, without asking any server.
package struct ConfigurationCheck {
    /// One finding.
    package struct Finding: Equatable, Sendable {
        /// Whether something cannot work. A remark is about settings that work, perhaps not as intended.
        package let isMistake: Bool
        /// The place and what is wrong, with advice. No value of a secret.
        package let text: String
    }

    /// The file's path; nil without a home.
    package let path: String?
    /// The number of profiles, incomplete ones included.
    package private(set) var profileCount = 0
    package private(set) var findings: [Finding] = []
    /// The names of profiles of which something is unknown, because of mistakes.
    private var incomplete: Set<String> = []
    private let environment: [String: String]

    /// Checks the file of `--config`, else the usual one, which need not exist.
    ///
    /// - Throws: a failure if the file cannot be read
    package init(_ option: String?) throws(CommandFailure) {
        environment = ProcessInfo.processInfo.environment
        path = option ?? Directories(environment).configurationFile
        guard let path,
            let (profiles, incomplete, mistakes) = try ConfigurationFile.readAll(
                path, environment, mayBeMissing: option == nil)
        else { return }
        profileCount = profiles.count
        self.incomplete = incomplete
        for mistake in mistakes { addMistake(mistake) }
        checkFile(path)
        checkMatches(profiles)
        for profile in profiles {
            checkPlaces(profile)
            checkLogon(profile)
            checkSecrets(profile)
            checkFiles(profile)
        }
    }

    private mutating func addMistake(_ text: String) { findings.append(Finding(isMistake: true, text: text)) }
    private mutating func addRemark(_ text: String) { findings.append(Finding(isMistake: false, text: text)) }

    // MARK: The file

    private mutating func checkFile(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let shown = TerminalText.sanitise(path)
        if status.st_mode & 0o022 != 0 {
            addMistake("\(shown): others can change it, and with it where passwords go. Run: chmod 600 \(shown)")
        }
    }

    // MARK: Patterns

    private mutating func checkMatches(_ profiles: [Profile]) {
        var entries: [Entry] = []
        for profile in profiles {
            for (index, match) in profile.match.enumerated() {
                check(match, at: index, of: profile)
                entries.append(Entry(profile: profile.name, match: match))
            }
            if profile.match.isEmpty, profile.logon == nil, !incomplete.contains(profile.name) {
                addRemark("\(profile.name): no match, so it is used with --profile \(profile.name) only.")
            }
        }
        // Only patterns of one origin can overlap.
        var earlier: [Origin: [Entry]] = [:]
        for entry in entries {
            checkOverlaps(entry, earlier[entry.match.origin] ?? [])
            earlier[entry.match.origin, default: []].append(entry)
        }
    }

    /// A pattern of a profile.
    private struct Entry {
        let profile: String
        let match: ProfileMatch
    }

    private mutating func check(_ match: ProfileMatch, at index: Int, of profile: Profile) {
        if profile.match[..<index].contains(match) {
            addRemark("\(profile.name): match has \(Self.text(match)) twice: leave one out.")
        } else if let wider = profile.match.first(where: { $0 != match && $0.contains(match) }) {
            addRemark("\(profile.name): match has \(Self.text(match)), which \(Self.text(wider)) covers.")
        }
        if let wildcard = match.wildcard {
            addMistake(
                "\(profile.name): match has \(Self.text(match)), which matches no URL that is meant: \(wildcard) "
                    + "stands for itself. A match covers everything below its path.")
        }
    }

    /// Equal patterns of two profiles choose neither. The longer one of nested patterns applies.
    ///
    /// - Parameter earlier: the patterns before it at the same origin
    private mutating func checkOverlaps(_ one: Entry, _ earlier: [Entry]) {
        for other in earlier where other.profile != one.profile {
            if one.match == other.match {
                addMistake(
                    "\(other.profile), \(one.profile): both match \(Self.text(one.match)), so neither is chosen there "
                        + "without --profile.")
            } else if one.match.contains(other.match) {
                addRemark(Self.nested(inner: other, outer: one))
            } else if other.match.contains(one.match) {
                addRemark(Self.nested(inner: one, outer: other))
            }
        }
    }

    private static func nested(inner: Entry, outer: Entry) -> String {
        "\(inner.profile), \(outer.profile): \(text(inner.match)) is inside \(text(outer.match)); there "
            + "\(inner.profile) applies, whose match is longer."
    }

    private static func text(_ match: ProfileMatch) -> String {
        TerminalText.sanitise(match.url?.absoluteString ?? match.origin.description)
    }

    // MARK: Places that never get a secret

    private mutating func checkPlaces(_ profile: Profile) {
        if profile.basic != nil || profile.oauth2 != nil || profile.saml2?.ecp != nil {
            for match in profile.match where !match.origin.isSecure {
                addMistake(
                    "\(profile.name): match has \(Self.text(match)), and its secrets go over https only, or to this machine."
                )
            }
        }
        if let kerberos = profile.kerberos, !kerberos.allowsPlainHTTP {
            for match in profile.match where !match.origin.isSecure {
                addMistake(
                    "\(profile.name): match has \(Self.text(match)), and tickets go over https only, or to this machine, without plain-http."
                )
            }
        }
        for origin in profile.answerOrigins where !origin.isSecure {
            addMistake(
                "\(profile.name): answer-origins has \(origin), and answers go over https only, or to this machine.")
        }
        for origin in profile.certificate?.origins ?? [] where origin.scheme != .https {
            addMistake(
                "\(profile.name): origins of [profiles.\(profile.name).cert] has \(origin): certificates need https.")
        }
        if !incomplete.contains(profile.name), !profile.answers.isEmpty, !profile.hasWebLogin, profile.oauth2 == nil,
            profile.logon == nil
        {
            addRemark("\(profile.name): answers without a login on web pages.")
        }
    }

    /// The file of a logon's options, and the server that it or the profile names.
    private mutating func checkLogon(_ profile: Profile) {
        // A file that is missing is reported with the other ones.
        guard let logon = profile.logon, logon.optionsFile.flatMap(InputFile.problem(ofRegular:)) == nil else { return }
        let server: Origin?
        do throws(CommandFailure) { server = try logon.server(of: profile, at: nil)?.origin } catch {
            return addMistake("\(profile.name): \(error.message)")
        }
        if let path = logon.optionsFile { checkFile(path) }
        guard let server, !server.isSecure, let password = profile.basic?.password,
            !incomplete.contains(profile.name), !profile.match.contains(where: { $0.origin == server })
        else { return }
        // A password that the person types goes there.
        if case .prompt = password { return }
        addMistake(
            "\(profile.name): its logon is at \(server), and its password goes over https only, or to this machine.")
    }

    // MARK: Secrets and files

    private mutating func checkSecrets(_ profile: Profile) {
        let table = "[profiles.\(profile.name)"
        var secrets: [(name: String, source: SecretSource?)] = [
            ("password of \(table).basic]", profile.basic?.password),
            ("password of \(table).kerberos]", profile.kerberos?.password),
            ("password of \(table).saml2]", profile.saml2?.ecp?.basic?.password),
            ("client secret of \(table).oauth2]", profile.oauth2?.clientSecret),
            ("password of \(table).oauth2]", profile.oauth2?.password),
            ("passphrase of \(table).oauth2]", profile.oauth2?.clientKeyPassphrase),
            ("passphrase of \(table).cert]", profile.certificate?.passphrase),
            ("passcode of \(table).logon]", profile.logon?.passcode),
            ("proxy-password of \(table)]", profile.proxy?.password),
        ]
        for (field, answer) in profile.answers.sorted(by: { $0.key < $1.key }) {
            let name = "answer \"\(TerminalText.sanitise(field, limit: 60))\" of \(table).answers]"
            switch answer {
            case .text(let source), .totp(let source): secrets.append((name, source))
            }
        }
        for (name, source) in secrets {
            guard let words = source?.words(environment), let problem = words.problem else { continue }
            let text = "\(profile.name): the \(name) is \(words.text): \(problem)"
            if case .file(let path)? = source {
                addMistake(text + (problem.contains("read") ? ". Run: chmod 600 \(TerminalText.sanitise(path))" : "."))
            } else {
                addRemark(text + " here.")
            }
        }
    }

    private mutating func checkFiles(_ profile: Profile) {
        let certificate = profile.certificate.flatMap { $0.stored == nil && $0.token == nil ? $0 : nil }
        let files: [(key: String, path: String?)] = [
            ("cacert", profile.caCertificate), ("proxy-cacert", profile.proxyAuthority),
            ("file of [profiles.\(profile.name).cert]", certificate?.path),
            ("key of [profiles.\(profile.name).cert]", certificate?.key),
            ("keytab of [profiles.\(profile.name).kerberos]", profile.kerberos?.keytab),
            ("client-key of [profiles.\(profile.name).oauth2]", profile.oauth2?.clientKey),
            ("options of [profiles.\(profile.name).logon]", profile.logon?.optionsFile),
        ]
        for (key, path) in files {
            guard let path, let reason = InputFile.problem(ofRegular: path) else { continue }
            addMistake("\(profile.name): \(key) names \(TerminalText.sanitise(path)): \(reason).")
        }
        for path in [certificate?.key ?? certificate?.path, profile.oauth2?.clientKey, profile.kerberos?.keytab]
            .compactMap({ $0 })
        {
            if let warning = CertificateFile.warning(of: path) { addMistake("\(profile.name): \(warning)") }
        }
    }
}

extension ProfileMatch {
    /// Whether it matches everything that another one does.
    fileprivate func contains(_ other: ProfileMatch) -> Bool {
        origin == other.origin && other.segments.starts(with: segments)
    }

    /// The character of a pattern that other programs would read as a wildcard.
    fileprivate var wildcard: String? {
        let marks = ["*", "?", "[", "{"]
        return marks.first { mark in
            origin.description.utf8.contains(mark.utf8.first ?? 0)
                || segments.contains { $0.contains(mark.utf8.first ?? 0) }
        }
    }
}

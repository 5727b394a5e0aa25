import Foundation
import Synchronization
import TestSupport

/// A directory with a profile for a site, which names no finish endpoint, or without profiles, for one test of `httpc`.
struct SiteHome {
    private let directory: URL
    private let environment: [String: String]

    /// - Parameters:
    ///   - isPrepared: whether the profile has the answers; otherwise the person types them
    ///   - other: another site of the same provider. Its profile has no answers, but uses the first one's login
    init(_ site: WebSite, isPrepared: Bool = true, sharingLoginWith other: WebSite? = nil) async throws {
        try self.init(for: site)
        let authority = try await RealServers.shared.authority().path
        func profile(_ name: String, _ site: WebSite, origins: String) -> String {
            let login = site.loginPrefix.map { "[profiles.\(name).web-login]\nredirect-to = [\"\($0)\"]" }
            return """
                [profiles.\(name)]
                match = ["\(site.base)"]
                web = "terminal"
                cacert = "\(authority)"
                \(origins) = ["\(site.provider)"]
                \(other == nil ? "" : "sso = \"shared\"")
                \(login ?? "[profiles.\(name).saml2]")

                """
        }
        let answers = """
            [profiles.site.answers]
            \(site.fields.user) = { env = "SITE_USER" }
            \(site.fields.password) = { env = "SITE_PASSWORD" }

            """
        let text =
            profile("site", site, origins: "answer-origins") + (isPrepared ? answers : "")
            + (other.map { profile("other", $0, origins: "sso-origins") } ?? "")
        try Data(text.utf8).write(to: directory.appending(path: "httpc/config.toml"))
    }

    /// Makes a directory without profiles.
    init(for site: WebSite) throws {
        // The sockets of Chromium are below it, and their paths must be short.
        directory = URL(filePath: "/tmp/httpc-site-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(
            at: directory.appending(path: "httpc"), withIntermediateDirectories: true)
        environment = [
            "XDG_CONFIG_HOME": directory.path, "XDG_STATE_HOME": directory.appending(path: "state").path,
            "SITE_USER": site.user.name, "SITE_PASSWORD": site.user.password, "SHELL": "/bin/sh",
            "NO_COLOR": "1",
        ]
    }

    /// Runs `httpc init` without a person.
    func initialise(_ site: WebSite) async throws -> Program.Outcome {
        let authority = try await RealServers.shared.authority().path
        return try await Program.run(
            BuiltProduct.httpc,
            [
                "init", site.page, "--yes", "--web", "terminal", "--cacert", authority, "--answer-origin",
                site.provider,
                "--answer-env", "\(site.fields.user)=SITE_USER", "--answer-env",
                "\(site.fields.password)=SITE_PASSWORD",
            ], environment: environment, seconds: 50)
    }

    func httpc(_ arguments: String...) async throws -> Program.Outcome {
        try await Program.run(BuiltProduct.httpc, ["-sS"] + arguments, environment: environment, seconds: 50)
    }

    /// Runs `httpc` on a terminal of its own, on which somebody types a line each time it asks for one.
    ///
    /// - Returns: the exit status, and all that the terminal shows
    func onTerminal(_ arguments: String, typing lines: [String]) async throws -> (status: Int32, text: String) {
        let screen = directory.appending(path: "screen.txt")
        let input = Pipe()
        let child = try ChildProcess(
            "/usr/bin/timeout",
            ["-k", "2", "50", "/usr/bin/script", "-qefc", "\(BuiltProduct.httpc) \(arguments)", "/dev/null"],
            environment: Program.environment.merging(environment) { $1 },
            input: .descriptor(input.fileHandleForReading.fileDescriptor), output: .file(screen.path),
            errors: .file(screen.path))
        try input.fileHandleForReading.close()
        func shown() -> String {
            ((try? String(contentsOf: screen, encoding: .utf8)) ?? "").replacingOccurrences(of: "\r\n", with: "\n")
        }
        let ended = Flag()
        async let status = {
            let status = await child.status
            ended.value.store(true, ordering: .releasing)
            return status
        }()
        var typed = 0
        while !ended.value.load(ordering: .acquiring) {
            if shown().ranges(of: "Asked by ").count > typed {
                // Further questions, such as whether to be remembered, get an empty line.
                let line = typed < lines.count ? lines[typed] : ""
                try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
                typed += 1
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        try input.fileHandleForWriting.close()
        return (await status, shown())
    }

    private final class Flag: Sendable { let value = Atomic<Bool>(false) }

    func remove() { try? FileManager.default.removeItem(at: directory) }
}

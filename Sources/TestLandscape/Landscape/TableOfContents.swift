/// The printable overview of a landscape.
struct TableOfContents {
    let shared: SharedState

    /// Rows of a name and a description.
    struct Section {
        let title: String
        let rows: [(name: String, text: String)]
    }

    var sections: [Section] {
        [
            Section(title: "Origins", rows: origins), Section(title: "Users", rows: users),
            Section(title: "OAuth2 clients", rows: clients), Section(title: "Endpoints", rows: endpoints),
        ]
    }

    var text: String {
        sections.map { section in
            let width = section.rows.map(\.name.count).max() ?? 0
            let lines = section.rows.map { row in
                "  \(row.name)" + String(repeating: " ", count: width - row.name.count + 2) + "\(row.text)\n"
            }
            return "\(section.title)\n" + lines.joined()
        }.joined(separator: "\n")
    }

    private var origins: [(name: String, text: String)] {
        let notes: [LandscapeOrigin: String] = [
            .expired: "certificate expired yesterday", .wrongName: "certificate for wrong.invalid",
            .raw: "scripted bytes", .mutual: "demands a client's certificate",
            .mutualOptional: "asks for a client's certificate", .multiplexed: "HTTP/2, with faults of its own",
            .proxy: "HTTP and SOCKS5 proxy, open unless /admin/proxy says otherwise",
            .secureProxy: "the same over TLS",
        ]
        return LandscapeOrigin.allCases.map { origin in
            (origin.rawValue, shared.addresses.base(of: origin) + (notes[origin].map { "   \($0)" } ?? ""))
        }
    }

    private var users: [(name: String, text: String)] {
        shared.users.all.map { user in
            let realms = user.realms.map { "   only in " + $0.sorted().joined(separator: ", ") } ?? ""
            let secret = user.totpSecret.map { "   TOTP \($0)" } ?? ""
            return (user.name, user.password + secret + realms)
        }
    }

    private var clients: [(name: String, text: String)] {
        shared.service(OAuthServer.self).clients.all.map { client in
            let grants = client.grants.map { String($0.rawValue.split(separator: ":").last ?? "") }
            let proof =
                client.secret ?? client.certificateName.map { "certificate for \($0)" }
                ?? (client.isPublic ? "public" : "assertions")
            return (client.id, proof + "   " + grants.sorted().joined(separator: ", "))
        }
    }

    private var endpoints: [(name: String, text: String)] {
        let faults = StreamFault.allCases.map { ("/fault/\($0.rawValue)", "\($0.text) (multiplexed)") }
        return (shared.services.flatMap(\.contents) + shared.services.flatMap(\.commands)).map { ($0.path, $0.text) }
            + faults
    }
}

import Foundation

/// The servers that the tests run: of Debian, and one of PyPI that `scripts/setup` puts beside what is built.
enum ServerKind: String, CaseIterable {
    case apache, nginx, lighttpd, oauth
    /// A SAML2 service provider and its identity provider in one Apache httpd: see ``SAMLSite``.
    case saml

    var executable: String {
        switch self {
        case .apache, .saml: "/usr/sbin/apache2"
        case .nginx: "/usr/sbin/nginx"
        case .lighttpd: "/usr/sbin/lighttpd"
        case .oauth: Fixture.package.appending(path: ".build/servers/oauth/bin/python").path
        }
    }

    /// Debian's packages beside the server's own; their versions are printed.
    var packages: [String] {
        self == .saml ? ["libapache2-mod-auth-mellon", "simplesamlphp", "php-cgi", "php-xml", "php-sqlite3"] : []
    }

    /// Keeps the server in the foreground with a configuration of ours.
    func arguments(directory: String, ports: [Int]) -> [String] {
        switch self {
        case .apache: ["-DFOREGROUND", "-f", "\(directory)/apache.conf"]
        case .saml: ["-DFOREGROUND", "-f", "\(directory)/saml.conf"]
        case .nginx:
            ["-c", "\(directory)/nginx.conf", "-p", directory, "-e", "\(directory)/logs/error.log"]
        case .lighttpd: ["-D", "-f", "\(directory)/lighttpd.conf"]
        case .oauth: [Fixture.source("oauth_server.py").path, directory, String(ports[0])]
        }
    }

    var versionArguments: [String] {
        self == .oauth ? [Fixture.source("oauth_server.py").path, "--version"] : ["-v"]
    }

    /// Who the workers run as; only root can say so.
    var userDirectives: String {
        switch self {
        case .apache, .saml: "User www-data\nGroup www-data"
        case .nginx: "user www-data;"
        case .lighttpd: "server.username = \"www-data\"\nserver.groupname = \"www-data\""
        case .oauth: ""
        }
    }

    var configurationFiles: [(fixture: String, name: String)] {
        switch self {
        case .apache: [("apache.conf", "apache.conf"), ("apache-mutual.conf", "mutual.conf")]
        case .saml: SAMLFixture.configurationFiles
        case .nginx:
            [
                ("nginx.conf", "nginx.conf"), ("nginx-locations.conf", "locations.conf"),
                ("nginx-mutual.conf", "mutual.conf"),
            ]
        case .lighttpd: [("lighttpd.conf", "lighttpd.conf")]
        case .oauth: []
        }
    }
}

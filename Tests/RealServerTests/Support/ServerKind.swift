import Foundation

/// The servers under test: from Debian, and from PyPI those that `scripts/setup` installs beside the build.
enum ServerKind: String, CaseIterable {
    case apache, nginx, lighttpd, oauth
    /// OData services of three makers: see `Fixtures/odata_server.py`.
    case odata
    /// A SAML2 service provider and its identity provider in one Apache httpd: see ``SAMLSite``.
    case saml
    /// Proxies: see ``RealProxy``.
    case squid, tinyproxy, microsocks

    var executable: String {
        switch self {
        case .apache, .saml: "/usr/sbin/apache2"
        case .nginx: "/usr/sbin/nginx"
        case .lighttpd: "/usr/sbin/lighttpd"
        case .squid: "/usr/sbin/squid"
        case .tinyproxy: "/usr/bin/tinyproxy"
        case .microsocks: "/usr/bin/microsocks"
        case .oauth, .odata: Fixture.package.appending(path: ".build/servers/\(rawValue)/bin/python").path
        }
    }

    /// Debian's packages in addition to the server's own. Their versions are printed.
    var packages: [String] {
        switch self {
        case .saml: ["libapache2-mod-auth-mellon", "simplesamlphp", "php-cgi", "php-xml", "php-sqlite3"]
        case .microsocks: ["microsocks"]
        default: []
        }
    }

    /// The arguments for running in the foreground with our configuration.
    func arguments(directory: String, ports: [Int]) -> [String] {
        switch self {
        case .apache: ["-DFOREGROUND", "-f", "\(directory)/apache.conf"]
        case .saml: ["-DFOREGROUND", "-f", "\(directory)/saml.conf"]
        case .nginx:
            ["-c", "\(directory)/nginx.conf", "-p", directory, "-e", "\(directory)/logs/error.log"]
        case .lighttpd: ["-D", "-f", "\(directory)/lighttpd.conf"]
        case .squid: ["-N", "-f", "\(directory)/squid.conf"]
        case .tinyproxy: ["-d", "-c", "\(directory)/tinyproxy.conf"]
        case .microsocks:
            ["-i", "127.0.0.1", "-p", String(ports[0]), "-u", RealProxy.user.name, "-P", RealProxy.user.password]
        case .oauth: [Fixture.source("oauth_server.py").path, directory, String(ports[0])]
        case .odata: [Fixture.source("odata_server.py").path, directory, String(ports[0]), String(ports[1])]
        }
    }

    var versionArguments: [String] {
        switch self {
        case .oauth, .odata: [Fixture.source("\(rawValue)_server.py").path, "--version"]
        // microsocks cannot print its version. Its usage text is printed first.
        case .microsocks: ["-h"]
        default: ["-v"]
        }
    }

    /// The user of the workers. Only root can set it.
    var userDirectives: String {
        switch self {
        case .apache, .saml: "User www-data\nGroup www-data"
        case .nginx: "user www-data;"
        case .lighttpd: "server.username = \"www-data\"\nserver.groupname = \"www-data\""
        case .squid: "cache_effective_user proxy"
        case .tinyproxy: "User www-data\nGroup www-data"
        case .oauth, .odata, .microsocks: ""
        }
    }

    /// The exit status of curl for a plain request to a running server.
    var readyStatus: Int32 { self == .microsocks ? 1 : 0 }

    var configurationFiles: [(fixture: String, name: String)] {
        switch self {
        case .apache:
            [
                ("apache.conf", "apache.conf"), ("apache-mutual.conf", "mutual.conf"),
                ("apache-located.conf", "located.conf"),
            ]
        case .saml: SAMLFixture.configurationFiles
        case .nginx:
            [
                ("nginx.conf", "nginx.conf"), ("nginx-locations.conf", "locations.conf"),
                ("nginx-mutual.conf", "mutual.conf"),
            ]
        case .lighttpd: [("lighttpd.conf", "lighttpd.conf")]
        case .squid: [("squid.conf", "squid.conf")]
        case .tinyproxy: [("tinyproxy.conf", "tinyproxy.conf")]
        case .oauth, .odata, .microsocks: []
        }
    }
}

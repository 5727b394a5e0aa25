/// The servers of Debian that the tests run.
enum ServerKind: String, CaseIterable {
    case apache, nginx, lighttpd

    var executable: String {
        switch self {
        case .apache: "/usr/sbin/apache2"
        case .nginx: "/usr/sbin/nginx"
        case .lighttpd: "/usr/sbin/lighttpd"
        }
    }

    /// Keeps the server in the foreground with a configuration of ours.
    func arguments(directory: String) -> [String] {
        switch self {
        case .apache: ["-DFOREGROUND", "-f", "\(directory)/apache.conf"]
        case .nginx:
            ["-c", "\(directory)/nginx.conf", "-p", directory, "-e", "\(directory)/logs/error.log"]
        case .lighttpd: ["-D", "-f", "\(directory)/lighttpd.conf"]
        }
    }

    var versionArgument: String { "-v" }

    /// Who the workers run as; only root can say so.
    var userDirectives: String {
        switch self {
        case .apache: "User www-data\nGroup www-data"
        case .nginx: "user www-data;"
        case .lighttpd: "server.username = \"www-data\"\nserver.groupname = \"www-data\""
        }
    }

    var configurationFiles: [(fixture: String, name: String)] {
        switch self {
        case .apache: [("apache.conf", "apache.conf")]
        case .nginx: [("nginx.conf", "nginx.conf"), ("nginx-locations.conf", "locations.conf")]
        case .lighttpd: [("lighttpd.conf", "lighttpd.conf")]
        }
    }
}

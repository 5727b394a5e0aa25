import Foundation

/// The servers under test: from Debian, and from PyPI those that `scripts/setup` installs beside the build.
enum ServerKind: String, CaseIterable {
    case apache, nginx, lighttpd
    /// An OAuth2 and OpenID provider with relying parties: see ``WebSite``.
    case oauth
    /// Authorization servers for grants of services: see `Fixtures/grants_server.py`.
    case grants
    /// OData services of three makers: see `Fixtures/odata_server.py`.
    case odata
    /// SAML2 service providers and their identity provider in one Apache httpd: see ``SAMLSite``.
    case saml
    /// WordPress and its database.
    case wordpress
    /// Docker's registry, and an index of Python packages, both with passwords.
    case registry, pypi
    /// A Kerberos realm with Apache httpd, squid and an acceptor of our own: see ``KerberosRealm``.
    case kerberos
    /// Proxies: see ``RealProxy``.
    case squid, tinyproxy, microsocks

    var executable: String {
        switch self {
        case .apache, .saml, .wordpress, .kerberos: "/usr/sbin/apache2"
        case .nginx: "/usr/sbin/nginx"
        case .lighttpd: "/usr/sbin/lighttpd"
        case .squid: "/usr/sbin/squid"
        case .tinyproxy: "/usr/bin/tinyproxy"
        case .microsocks: "/usr/bin/microsocks"
        case .registry: "/usr/bin/docker-registry"
        case .oauth, .odata, .pypi, .grants:
            Fixture.package.appending(path: ".build/servers/\(rawValue)/bin/python").path
        }
    }

    /// Debian's packages in addition to the server's own. Their versions are printed.
    var packages: [String] {
        switch self {
        case .saml:
            [
                "libapache2-mod-auth-mellon", "libapache2-mod-shib", "simplesamlphp", "php-cgi", "php-xml",
                "php-sqlite3",
            ]
        case .oauth: ["libapache2-mod-auth-openidc", "libapache2-mod-auth-cas", "liblemonldap-ng-portal-perl"]
        case .wordpress: ["wordpress", "mariadb-server-core", "php-cgi", "php-mysql"]
        case .microsocks: ["microsocks"]
        case .kerberos: ["krb5-kdc", "libapache2-mod-auth-gssapi", "squid", "python3-gssapi"]
        case .registry: ["docker-registry", "skopeo"]
        default: []
        }
    }

    /// The command for running in the foreground with our configuration. Servers of several programs have a script.
    func command(directory: String, ports: [Int]) -> [String] {
        switch self {
        case .saml, .oauth, .wordpress, .kerberos: ["/bin/sh", "\(directory)/start.sh"]
        default: [executable] + arguments(directory: directory, ports: ports)
        }
    }

    private func arguments(directory: String, ports: [Int]) -> [String] {
        switch self {
        case .apache: ["-DFOREGROUND", "-f", "\(directory)/apache.conf"]
        case .nginx:
            ["-c", "\(directory)/nginx.conf", "-p", directory, "-e", "\(directory)/logs/error.log"]
        case .lighttpd: ["-D", "-f", "\(directory)/lighttpd.conf"]
        case .squid: ["-N", "-f", "\(directory)/squid.conf"]
        case .tinyproxy: ["-d", "-c", "\(directory)/tinyproxy.conf"]
        case .microsocks:
            ["-i", "127.0.0.1", "-p", String(ports[0]), "-u", RealProxy.user.name, "-P", RealProxy.user.password]
        case .odata: [Fixture.source("odata_server.py").path, directory, String(ports[0]), String(ports[1])]
        case .grants: [Fixture.source("grants_server.py").path, directory, String(ports[0])]
        case .registry: ["serve", "\(directory)/registry.yml"]
        case .pypi:
            [
                "-m", "pypiserver", "run", "-i", "127.0.0.1", "-p", String(ports[0]), "-P", "\(directory)/htpasswd",
                "-a", "update,download,list", "\(directory)/www",
            ]
        case .saml, .oauth, .wordpress, .kerberos: []
        }
    }

    var versionArguments: [String] {
        switch self {
        case .oauth, .odata, .grants: [Fixture.source("\(rawValue)_server.py").path, "--version"]
        // microsocks cannot print its version. Its usage text is printed first.
        case .microsocks: ["-h"]
        case .registry: ["--version"]
        case .pypi: ["-m", "pypiserver", "--version"]
        default: ["-v"]
        }
    }

    /// The user of the workers. Only root can set it.
    var userDirectives: String {
        switch self {
        case .apache, .saml, .oauth, .wordpress, .kerberos: "User www-data\nGroup www-data"
        case .nginx: "user www-data;"
        case .lighttpd: "server.username = \"www-data\"\nserver.groupname = \"www-data\""
        case .squid: "cache_effective_user proxy"
        case .tinyproxy: "User www-data\nGroup www-data"
        case .odata, .microsocks, .registry, .pypi, .grants: ""
        }
    }

    /// The exit status of curl for a plain request to a running server.
    var readyStatus: Int32 {
        switch self {
        case .microsocks: 1
        // It has only https, and curl is given no authority.
        case .registry: 60
        default: 0
        }
    }

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
        case .oauth:
            [
                ("oauth.sh", "start.sh"), ("relying.conf", "relying.conf"),
                ("lemonldap/lemonldap-ng.ini", "lemonldap/lemonldap-ng.ini"),
                ("lemonldap/portal.psgi", "lemonldap/portal.psgi"),
            ]
        case .wordpress:
            ["wordpress.conf", "start.sh", "site/place.php", "site/wp-config.php", "site/install.php", "www/end.php"]
                .map { ("wordpress/\($0.split(separator: "/").last ?? "")", $0) }
        case .kerberos:
            ["krb5.conf", "kdc.conf", "apache.conf", "squid.conf", "start.sh"].map { ("kerberos/\($0)", $0) }
        case .registry: [("registry.yml", "registry.yml")]
        case .odata, .microsocks, .pypi, .grants: []
        }
    }
}

import HummingbirdCore

/// `/certificate`: the subject of the client's certificate.
struct CertificateEndpoint: Service {
    func register(in table: inout EndpointTable) {
        table.add("certificate") { exchange in
            guard let certificate = try await exchange.connection.clientCertificate() else {
                return .text("nobody\n")
            }
            return .text("\(certificate.subject)\n")
        }
    }

    let contents = [
        ContentsEntry("/certificate", "the subject of the client's certificate, or nobody (mutual, mutualOptional)")
    ]
}

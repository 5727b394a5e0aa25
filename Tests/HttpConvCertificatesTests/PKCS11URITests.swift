import Foundation
import HttpConversation
import Testing

@testable import HttpConvCertificates

/// Names of certificates on tokens (RFC 7512).
@Suite struct PKCS11URITests {
    @Test func attributes() throws {
        let uri = try PKCS11URI(
            "pkcs11:token=My%20Card;object=alice;id=%00%a1;type=cert?module-path=/usr/lib/x.so&pin-value=12%2034&x-ours=1"
        )
        #expect(uri.attributes[.token] == Array("My Card".utf8))
        #expect(uri.attributes[.object] == Array("alice".utf8))
        #expect(uri.attributes[.id] == [0, 0xA1])
        #expect(uri.modulePath == "/usr/lib/x.so")
        #expect(try uri.givenPIN()?.value == "12 34")
        #expect("\(uri)" == "pkcs11:id=%00%A1;object=alice;token=My Card")
    }

    @Test(arguments: [
        "http:token=a", "pkcs11:token", "pkcs11:token=%0", "pkcs11:token=%zz", "pkcs11:token=%é0", "pkcs11:slot-id=1",
        "pkcs11:token=a;token=b", "pkcs11:type=data", "pkcs11:?module-path=x.so", "pkcs11:?pin-source=|command",
        "pkcs11:?pin-value=1&pin-source=/pin", "pkcs11:?pin-value=%ff", "pkcs11:?pin-value=%00", "pkcs11:?what=1",
        "pkcs11:token=" + String(repeating: "x", count: 5000),
    ])
    func refused(text: String) {
        let error = #expect(throws: CertificateError.self) { try PKCS11URI(text) }
        #expect(error?.code == .invalidName)
    }

    @Test(arguments: [(0o600, true), (0o400, true), (0o640, false), (0o604, false)])
    func onlyTheOwnerMayReadThePIN(mode: Int, isTaken: Bool) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "pin-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("12 34\r\nanother line".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        let uri = try PKCS11URI("pkcs11:token=a?pin-source=file:\(file.path)")
        #expect(uri.hasPIN)
        guard !isTaken else {
            #expect(try uri.givenPIN()?.value == "12 34")
            return
        }
        let error = #expect(throws: CertificateError.self) { try uri.givenPIN() }
        #expect(error?.code == .unreadable && error?.message.contains("chmod 600 \(file.path)") == true)
    }

    @Test func aPINFileHasABoundedLength() throws {
        // It has no end.
        #expect(try PKCS11URI("pkcs11:token=a?pin-source=/dev/zero").givenPIN()?.value.utf8.count == 4096)
        let error = #expect(throws: CertificateError.self) {
            try PKCS11URI("pkcs11:token=a?pin-source=/nowhere/pin").givenPIN()
        }
        #expect(error?.code == .unreadable)
        #expect(try PKCS11URI("pkcs11:token=a").givenPIN() == nil)
    }

    @Test func noErrorAndNoDescriptionHasThePIN() throws {
        let uri = try PKCS11URI("pkcs11:token=a?pin-value=canary-77")
        var dumped = ""
        dump(uri, to: &dumped)
        #expect(!dumped.contains("canary") && !"\(uri)".contains("canary"))
        let error = #expect(throws: CertificateError.self) {
            try PKCS11URI("pkcs11:token=a?pin-value=canary-77&pin-value=b")
        }
        #expect(error.map { "\($0)".contains("canary") } == false)
    }
}

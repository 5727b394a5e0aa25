#!/bin/sh
# Makes two realms, and starts their key distribution center, an acceptor of our own, squid and Apache httpd, which this process
# becomes. They end together, because they are one process group.
set -eu
cd "@DIR@"
export KRB5_CONFIG="@DIR@/krb5.conf" KRB5_KDC_PROFILE="@DIR@/kdc.conf" KRB5RCACHENAME=none:
make() {
    realm=$1
    /usr/sbin/kdb5_util create -s -r "$realm" -P "master of $realm"
    shift
    for command; do echo "$command"; done | /usr/sbin/kadmin.local -r "$realm"
}
{
    make TEST.EXAMPLE "addprinc -pw @PASSWORD@ alice" "addprinc -randkey HTTP/localhost" "addprinc -randkey HTTP/127.0.0.1" \
        "addprinc -randkey khttp/localhost" "ktadd -k http.keytab HTTP/localhost HTTP/127.0.0.1 khttp/localhost" \
        "ktadd -norandkey -k alice.keytab alice"
    make OTHER.EXAMPLE "addprinc -pw @PASSWORD@ alice" "addprinc -randkey HTTP/localhost" "ktadd -k other.keytab HTTP/localhost"
} >logs/realm.log 2>&1
chmod 644 ./*.keytab
# The same name with another key.
/usr/bin/python3 "@SOURCE@/kerberos/rename.py" other.keytab strange.keytab >>logs/realm.log 2>&1
chmod 644 strange.keytab
/usr/sbin/krb5kdc -n -r TEST.EXAMPLE -r OTHER.EXAMPLE >logs/kdc.log 2>&1 &
/usr/bin/python3 "@SOURCE@/kerberos/acceptor.py" "@DIR@" @PORT6@ @PORT7@ >logs/acceptor.err 2>&1 &
/usr/sbin/squid -N -f "@DIR@/squid.conf" >logs/squid.log 2>&1 &
for port in @PORT3@ @PORT4@ @PORT6@ @PORT7@; do
    until /usr/bin/python3 -c "import socket; socket.create_connection(('127.0.0.1', $port), 1)" 2>/dev/null; do sleep 0.05; done
done
exec /usr/sbin/apache2 -DFOREGROUND -f "@DIR@/apache.conf"

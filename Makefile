# SPDX-License-Identifier: GPL-2.0-only
#   make [KDIR=<kernel build dir>]   build dm-raidx.ko
#   make install                     install the module and raidxctl
#   make unit | lint | check         host tests; static checks; everything
KDIR ?= /lib/modules/$(shell uname -r)/build
DESTDIR ?=

.PHONY: all modules modules_install cli install unit lint check clean

all: modules cli

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

cli:
	@if [ -e cli/Makefile ]; then $(MAKE) -C cli; fi

modules_install: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) modules_install

install: modules_install cli
	@if [ -e cli/Makefile ]; then $(MAKE) -C cli install DESTDIR=$(DESTDIR); fi
	@[ -n "$(DESTDIR)" ] || depmod -a

unit:
	$(MAKE) -C tests/unit

lint:
	scripts/lint

check:
	scripts/check

clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C tests/unit clean
	@if [ -e cli/Makefile ]; then $(MAKE) -C cli clean; fi

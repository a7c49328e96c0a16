// SPDX-License-Identifier: GPL-2.0-only
#include "disk.h"
const struct sim_model sim_model_hdd;
